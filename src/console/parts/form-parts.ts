import { type Html, html } from '../../pages/html.ts';
import type { Visit } from '../route.ts';
import type { Faults } from './faults.ts';
import { note } from './parts.ts';

interface FormParts {
  /** Where it is sent, below the tenant's path. */
  path: string;
  content: Html | readonly Html[];
  submit: string;
  /** `danger`: it takes something away; `quiet`: another button of the page is the primary one. */
  kind?: 'primary' | 'danger' | 'quiet';
  cancel?: string;
  faults?: Faults;
}

/** Every form has it. */
export const token = ({ csrf }: Visit): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

/** What no field of the form shows: a refusal of the whole, or of a member that has no field. */
function faultAbove(content: string, { general, fields }: Faults): string | undefined {
  const elsewhere = [...fields].filter(([name]) => !content.includes(`id="${name}-fault"`));
  return general ?? (elsewhere.map(([name, text]) => `${name}: ${text}`).join(' ') || undefined);
}

/** Fields, then one button. What is wrong with none of the fields stands above them. */
export function formOf(visit: Visit, { path, content, submit, kind = 'primary', cancel, faults }: FormParts): Html {
  const fields = html`${content}`;
  const fault = faults && faultAbove(fields.text, faults);
  return html`<form class="form" method="post" action="${visit.to(path)}" novalidate>${token(visit)}
${fault && note('bad', fault)}
${fields}
<div class="buttons"><button class="button ${kind}">${submit}</button>${cancel !== undefined && html`<a class="button" href="${visit.to(cancel)}">Cancel</a>`}</div>
</form>`;
}

/** A form that is nothing but a button, for what is done at once because it can be undone. */
export const buttonForm = (
  visit: Visit,
  path: string,
  label: Html | string,
  { fields = {}, kind = 'compact' }: { fields?: Record<string, string> | URLSearchParams; kind?: string } = {},
): Html =>
  html`<form class="inline" method="post" action="${visit.to(path)}">${token(visit)}${[...new URLSearchParams(fields)].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="button ${kind}">${label}</button></form>`;

interface FieldParts {
  name: string;
  label: string;
  value?: string | undefined;
  hint?: Html | string | undefined;
  faults?: Faults | undefined;
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'password' | 'datetime-local';
  /** Lines of a larger one. */
  lines?: number | undefined;
  isMono?: boolean | undefined;
  isOptional?: boolean | undefined;
  options?: Options | undefined;
}

/** To choose one of: value and label. */
export type Options = readonly (readonly [value: string, label: string, ...unknown[]])[];

export const optionsOf = (options: Options, chosen: string): Html[] =>
  options.map(
    ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  );

/** A label, what helps, what is wrong, and the input, tied together. */
export function field({ name, label, value = '', hint, faults, type = 'text', ...rest }: FieldParts): Html {
  const { lines, isMono, isOptional, options } = rest;
  const fault = faults?.fields.get(name);
  const about = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  const common = html`id="${name}" name="${name}"${about && html` aria-describedby="${about}"`}${fault && html` aria-invalid="true"`}${isMono && html` class="mono"`}`;
  const input = options
    ? html`<select ${common}>${optionsOf(options, value)}</select>`
    : lines
      ? html`<textarea ${common} rows="${lines}" spellcheck="false">${`\n${value}`}</textarea>`
      : html`<input ${common} type="${type}" value="${value}" autocomplete="off" spellcheck="false">`;
  return html`<div class="field"><label for="${name}">${label}${isOptional && html` <span class="quiet">(optional)</span>`}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault && html`<p class="fault" id="${name}-fault">${fault}</p>`}
${input}</div>`;
}

/** Boxes to tick: each value with its label. */
export const boxes = (
  name: string,
  legend: string,
  options: readonly (readonly [string, string | Html])[],
  { ticked = [], hint, faults }: { ticked?: readonly string[]; hint?: string; faults?: Faults | undefined } = {},
): Html =>
  html`<fieldset class="field boxes"><legend>${legend}</legend>${hint && html`<p class="hint">${hint}</p>`}${faults?.fields.has(name) && html`<p class="fault" id="${name}-fault">${faults.fields.get(name)}</p>`}${options.map(([value, label]) => html`<label class="box"><input type="checkbox" name="${name}" value="${value}"${ticked.includes(value) && html` checked`}> <span>${label}</span></label>`)}</fieldset>`;
