import type { AdministratorRole } from '../../base/administrator-role.ts';
import { DAY_MS, HOUR_MS } from '../../base/times.ts';
import { csrfField, type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest, Page, RefusedForm } from '../route.ts';
import { type Faults, faultsOf, INVALID_FORMAT } from './faults.ts';
import { note } from './parts.ts';

/** The form field that names the fields with secrets. A form that outlives its session is kept without them. */
export const SECRET_FIELD = 'secretField';

interface FormParts {
  /** Path the form posts to, below the tenant's. */
  path: string;
  content: Html | readonly Html[];
  submit: string;
  /** `danger` for destructive actions; `quiet` when another button of the page is the primary one. */
  kind?: 'primary' | 'danger' | 'quiet';
  cancel?: string | undefined;
  faults?: Faults;
}

/** The message to show above the form: a general error, or errors of members that have no field here. */
function faultAbove(content: string, { general, fields }: Faults): string | undefined {
  const elsewhere = [...fields].filter(([name]) => !content.includes(`id="${name}-fault"`));
  return general ?? (elsewhere.map(([name, text]) => `${name}: ${text}`).join(' ') || undefined);
}

/** The fields of a form that the administrator may read, but not submit. */
const readOnly = (fields: Html, role: AdministratorRole): Html =>
  html`${note('info', `You can view this form. Submitting it requires the role ${role}.`)}
<fieldset class="form" disabled>${fields}</fieldset>`;

/** A form with one submit button. Errors that belong to no field are shown above the fields. */
export function formOf(
  request: ConsoleRequest,
  { path, content, submit, kind = 'primary', cancel, faults }: FormParts,
): Html {
  const fields = html`${content}`;
  const missing = request.missingRole(path, 'submit');
  if (missing) return readOnly(fields, missing);
  const fault = faults && faultAbove(fields.text, faults);
  const isRefused = faults && (faults.general !== undefined || faults.fields.size > 0);
  return html`<form class="form" method="post" action="${request.to(path)}" novalidate${isRefused && html` data-unsaved`}>${csrfField(request.csrf)}
${fault && note('bad', fault)}
${fields}
<div class="buttons"><button class="button ${kind}">${submit}</button>${cancel !== undefined && html`<a class="button" href="${request.to(cancel)}">Cancel</a>`}</div>
</form>`;
}

type FormPageParts = Pick<Page, 'title' | 'lead' | 'back'> & Omit<FormParts, 'path' | 'cancel' | 'faults'>;

/** A page that is one form and posts to its own path. "Cancel" leads back to the parent page. */
export const formPage = (
  request: ConsoleRequest,
  refused: RefusedForm | undefined,
  { title, lead, back, ...parts }: FormPageParts,
): Page => ({
  title,
  lead,
  back,
  content: formOf(request, { ...parts, path: request.path, cancel: back?.path, faults: faultsOf(refused) }),
});

/** A link that looks like a button. It is left out if the administrator's role does not allow the page. */
export const buttonLink = (request: ConsoleRequest, path: string, label: Html | string, kind = ''): Html | false =>
  !request.missingRole(path) && html`<a class="button ${kind}" href="${request.to(path)}">${label}</a>`;

/** For the last column: a link to a page that changes the row. Screen readers hear the row's name with it. */
export const rowLink = (request: ConsoleRequest, path: string, label: string, name: string): Html => {
  const link = buttonLink(request, path, html`${label}<span class="unseen"> ${name}</span>`, 'compact');
  return html`<div class="row-actions">${link}</div>`;
};

/** A form that is only a button, for actions that need no confirmation. It is left out if the role does not allow it. */
export const buttonForm = (
  request: ConsoleRequest,
  path: string,
  label: Html | string,
  { fields = {}, kind = 'compact' }: { fields?: Record<string, string> | URLSearchParams; kind?: string } = {},
): Html | false =>
  !request.missingRole(path, 'submit') &&
  html`<form class="inline" method="post" action="${request.to(path)}">${csrfField(request.csrf)}${[...new URLSearchParams(fields)].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button class="button ${kind}">${label}</button></form>`;

interface FieldParts {
  name: string;
  label: string;
  value?: string | undefined;
  hint?: Html | string | undefined;
  faults?: Faults | undefined;
  type?: 'text' | 'email' | 'tel' | 'url' | 'number' | 'password' | 'color' | 'datetime-local';
  /** Instruction for a value of the wrong format. */
  format?: string | undefined;
  /** Makes the input a textarea with this many lines. */
  lines?: number | undefined;
  isMono?: boolean | undefined;
  isOptional?: boolean | undefined;
  options?: Options | undefined;
}

/** Options of a select: value and label. */
export type Options = readonly (readonly [value: string, label: string, ...unknown[]])[];

const optionsOf = (options: Options, chosen: string): Html[] =>
  options.map(
    ([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
  );

/** A select that filters a list by one of several values. */
export const choice = (name: string, label: string, options: Options, chosen: string): Html =>
  html`<label>${label}<select name="${name}">${optionsOf(options, chosen)}</select></label>`;

/** Time ranges that filter a list: value in the URL, label, and milliseconds. */
export const TIME_RANGES = [
  ['', 'Any time', undefined],
  ['1h', 'Last hour', HOUR_MS],
  ['24h', 'Last 24 hours', DAY_MS],
  ['7d', 'Last 7 days', 7 * DAY_MS],
] as const;

/** A filter form. It uses GET, so the filters are part of the page's URL. */
export const filters = (path: string, inputs: Html | readonly Html[], isNarrowed: boolean): Html =>
  html`<form class="filters" method="get" action="${path}">${inputs}<button class="button">Filter</button>${isNarrowed && html`<a class="button" href="${path}">Clear</a>`}</form>`;

/** An input with its label, hint, and error, connected for assistive technology. */
export function field({ name, label, value = '', hint, faults, type = 'text', ...rest }: FieldParts): Html {
  const { lines, isMono, isOptional, options, format = INVALID_FORMAT } = rest;
  const found = faults?.fields.get(name);
  const fault = found === INVALID_FORMAT ? format : found;
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
${input}${type === 'password' && html`<input type="hidden" name="${SECRET_FIELD}" value="${name}">`}</div>`;
}

/** Returns `field` for one form: each field shows the value and the error of its name. */
export const fieldWith =
  (values: URLSearchParams | undefined, faults: Faults) =>
  (parts: Omit<FieldParts, 'value' | 'faults'>): Html =>
    field({ ...parts, value: values?.get(parts.name) ?? '', faults });

/** A single checkbox with its hint. Its value is `true`. */
export const tick = (name: string, label: string, hint: string | undefined, isTicked: boolean): Html =>
  html`<div class="field"><label class="box"><input type="checkbox" name="${name}" value="true"${hint && html` aria-describedby="${name}-hint"`}${isTicked && html` checked`}> <span>${label}</span></label>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;

/** The attributes that connect an input with its error. The page focuses the first such input. */
export const faultyInput = (name: string, faults: Faults | undefined): Html | false =>
  faults?.fields.has(name) === true && html` aria-invalid="true" aria-describedby="${name}-fault"`;

/** A group of checkboxes, one for each value and label. Its error is connected with the first. */
export const boxes = (
  name: string,
  legend: string,
  options: readonly (readonly [string, string | Html])[],
  { ticked = [], hint, faults }: { ticked?: readonly string[]; hint?: string; faults?: Faults | undefined } = {},
): Html =>
  html`<fieldset class="field boxes"><legend>${legend}</legend>${hint && html`<p class="hint">${hint}</p>`}${faults?.fields.has(name) && html`<p class="fault" id="${name}-fault">${faults.fields.get(name)}</p>`}${options.map(([value, label], index) => html`<label class="box"><input type="checkbox" name="${name}" value="${value}"${index === 0 && faultyInput(name, faults)}${ticked.includes(value) && html` checked`}> <span>${label}</span></label>`)}</fieldset>`;
