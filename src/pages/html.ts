/** Markup that is safe to send. Only `html` and `trusted` create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

type Value = Html | string | number | false | null | undefined | readonly Value[];

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  return escapeText(String(value));
}

/** Escapes every value, for text and for quoted attributes. Lists are joined; null, undefined, and `false` render nothing. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Wraps markup from a trusted source, without escaping. */
export const trusted = (markup: string): Html => new Html(markup);

/** The field with the CSRF token, which every form needs. */
export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;
