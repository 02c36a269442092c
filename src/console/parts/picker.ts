import { type Html, html } from '../../pages/html.ts';

/** The types of `GET /search` that a picker can find. */
type Picked = 'user' | 'application';

interface PickerParts {
  name: string;
  label: string;
  type: Picked;
  /** The chosen id. */
  value: string;
  /** Its name, unless it was deleted. */
  chosen: string | undefined;
}

/**
 * Makes the text field for an id in `content` a picker, in which one types a name (`assets/picker.js`). Without
 * JavaScript it accepts the id, and the name is beside it.
 */
export const pickerOf = (type: Picked, chosen: string | undefined, content: Html): Html =>
  html`<div class="picker" data-pick="${type}"${chosen !== undefined && html` data-chosen="${chosen}"`}>${content}${chosen !== undefined && html`<span class="picker-chosen hint">${chosen}</span>`}</div>`;

/** A picker that filters a list. */
export const pickFilter = ({ name, label, type, value, chosen }: PickerParts): Html =>
  pickerOf(
    type,
    chosen,
    html`<label>${label}<input type="text" name="${name}" value="${value}" placeholder="ID" autocomplete="off" spellcheck="false" maxlength="128"></label>`,
  );
