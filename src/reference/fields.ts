import { type Html, html } from '../pages/html.ts';
import { code } from './code.ts';
import type { Schema } from './document.ts';

/** Finds the schema that a reference names. */
export type Resolve = (schema: Schema) => Schema;

export const resolver =
  (schemas: Record<string, Schema>): Resolve =>
  (schema) =>
    schema.$ref ? (schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}) : schema;

/** The name of a type: `string or null`, `array of User`. */
function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.items) return `array of ${typeOf(schema.items)}`;
  return schema.type ?? (schema.enum ? 'string' : 'any');
}

const number = (value: number): string => value.toLocaleString('en');

/** "1 to 128 characters", or undefined if neither is limited. */
function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (most === undefined) return least ? `At least ${number(least)}${unit}` : undefined;
  return least === undefined ? `At most ${number(most)}${unit}` : `${number(least)} to ${number(most)}${unit}`;
}

/** The limits of a value, a sentence each. */
function limits(schema: Schema): (Html | string)[] {
  const { enum: words, default: value, items } = schema;
  const ranges = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
  ];
  const listed = words ?? items?.enum;
  return [
    ...(listed
      ? [html`One of ${listed.map((word, index) => html`${index > 0 && ', '}<code>${String(word)}</code>`)}`]
      : []),
    ...ranges.filter((text) => text !== undefined),
    ...(value === undefined ? [] : [html`Default: <code>${JSON.stringify(value)}</code>`]),
  ];
}

/** The schema whose fields describe a value: that of an array's items, or of what it is unless it is null. */
function objectIn(schema: Schema, resolve: Resolve): Schema | undefined {
  const found = resolve(schema);
  if (found.properties) return found;
  if (found.items) return objectIn(found.items, resolve);
  return found.anyOf?.map((one) => objectIn(one, resolve)).find((one) => one !== undefined);
}

/** A field with its type, its description, its limits, and the fields in it. */
export function fieldEntry(name: string, schema: Schema, isRequired: boolean, resolve: Resolve): Html {
  const inner = objectIn(schema, resolve);
  const branch = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const sentences = limits(branch);
  return html`<li><p><code class="name">${name}</code> <span class="quiet small">${typeOf(schema)}</span>${isRequired && html` <span class="required small">required</span>`}</p>
${(schema.description ?? branch.description) && html`<p class="small">${code(schema.description ?? branch.description ?? '')}</p>`}
${sentences.length > 0 && html`<p class="quiet small">${sentences.map((sentence, index) => html`${index > 0 && '. '}${sentence}`)}</p>`}
${inner && html`<details class="inner"><summary>Fields of <code>${name}</code></summary>${fieldList(inner, resolve)}</details>`}</li>`;
}

/** The fields of an object. */
export function fieldList(schema: Schema, resolve: Resolve): Html {
  const { properties = {}, required = [] } = objectIn(schema, resolve) ?? {};
  return html`<ul class="fields">${Object.entries(properties).map(([name, property]) => fieldEntry(name, property, required.includes(name), resolve))}</ul>`;
}

/** The type of a body, and its fields if it has any. */
export function bodyFields(schema: Schema, resolve: Resolve): Html {
  const hasFields = Object.keys(objectIn(schema, resolve)?.properties ?? {}).length > 0;
  const type = typeOf(schema);
  const what = type === 'object' ? false : html`<p class="quiet small">${type}</p>`;
  if (!hasFields) return html`<p class="quiet small">${type === 'object' ? 'An object with any fields' : type}</p>`;
  return html`${what}${fieldList(schema, resolve)}`;
}
