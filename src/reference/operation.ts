import { type Html, html } from '../pages/html.ts';
import { code, codeBlock, samples } from './code.ts';
import type { OperationEntry, Parameter } from './document.ts';
import { bodyFields, fieldEntry, type Resolve } from './fields.ts';
import { type Addresses, curlOf, nodeOf } from './samples.ts';

/** The data that the sections of a page share. */
export interface SectionParts {
  addresses: Addresses;
  resolve: Resolve;
  /** The message of an error code. */
  messageOf(code: string): string;
  /** Path of the API, such as `/api`. */
  base: string;
}

const part = (title: string, content: Html): Html => html`<h3>${title}</h3>${content}`;

function parameterList(title: string, parameters: readonly Parameter[], resolve: Resolve): Html | false {
  if (parameters.length === 0) return false;
  const entries = parameters.map(({ name, schema, required = false }) => fieldEntry(name, schema, required, resolve));
  return part(title, html`<ul class="fields">${entries}</ul>`);
}

/** Error codes by status, each with its message. */
export const errorList = (errors: OperationEntry['errors'], messageOf: SectionParts['messageOf']): Html =>
  html`<ul class="fields">${errors.flatMap(([status, codes]) =>
    codes.map(
      (name) =>
        html`<li><p><code class="name">${status}</code> <code>${name}</code></p><p class="small quiet">${messageOf(name)}</p></li>`,
    ),
  )}</ul>`;

/** A form that sends the request with the token of this tab. It is hidden until the script has loaded. */
function requestForm({ id, method, path, parameters, body }: OperationEntry): Html {
  const inputs = parameters.map(({ name, in: place, required }) => {
    const inputId = `${id}-${name}`;
    return html`<div class="field"><label for="${inputId}">${name}</label><input id="${inputId}" data-in="${place}" data-name="${name}"${required && html` required`} autocomplete="off" spellcheck="false"></div>`;
  });
  const text =
    body &&
    html`<div class="field"><label for="${id}-body">Body</label><textarea id="${id}-body" class="mono" data-body rows="8" spellcheck="false" autocomplete="off">${`\n${JSON.stringify(body.example, null, 2)}`}</textarea></div>`;
  return html`<details class="try" hidden><summary>Send a request</summary><form class="stack" data-method="${method}" data-path="${path}">
${method !== 'GET' && html`<p class="note warn">This changes the data of this tenant.</p>`}
${inputs}${text}
<div><button class="button compact primary">Send request<span class="unseen">: ${method} ${path}</span></button></div>
<div data-response aria-live="polite"></div>
</form></details>`;
}

/** An operation: what it expects and returns, and beside it the request as code and an example response. */
export function operationSection(
  operation: OperationEntry,
  { addresses, resolve, messageOf, base }: SectionParts,
): Html {
  const { id, method, path, summary, description, parameters, body, success, errors, events } = operation;
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const example = success.content?.example;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${summary}</a></h2>
<p class="route mono"><span class="method">${method}</span> ${base}${path}</p>
${description && html`<p>${code(description)}</p>`}
<div class="columns"><div class="stack">
${parameterList('Path parameters', of('path'), resolve)}
${parameterList('Query parameters', of('query'), resolve)}
${body && part('Body', bodyFields(body.schema, resolve))}
${part('Response', html`<p><code>${success.status}</code> ${success.description}</p>${success.content && html`<details class="inner"><summary>Fields of the response</summary>${bodyFields(success.content.schema, resolve)}</details>`}`)}
${errors.length > 0 && part('Errors', errorList(errors, messageOf))}
${events.length > 0 && part('Events', html`<p>${events.map((event, index) => html`${index > 0 && ', '}<a href="events#${event}">${event}</a>`)}</p>`)}
</div><div class="stack">
${samples(`${id}-request`, [
  { language: 'curl', text: curlOf(operation, addresses) },
  { language: 'Node', text: nodeOf(operation, addresses) },
])}
${example !== undefined && html`<p class="small quiet">Example response</p>${codeBlock(JSON.stringify(example, null, 2))}`}
${requestForm(operation)}
</div></div>
</section>`;
}
