import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { EACH_ONCE } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';

/** Deeper JSON is refused before anything walks it recursively. */
const MAX_DEPTH = 64;

/** Described in full; a body that is wrong throughout has more of them than anyone reads. */
const MOST_FAULTS = 100;
/** Shown. */
const MOST_LINES = 20;

function keepEachOnce(_schema: unknown, values: unknown[]): boolean {
  const once = new Set(values);
  if (once.size === values.length) return true;
  values.length = 0;
  for (const value of once) values.push(value);
  return true;
}

function ajvWith(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, ...options });
  return ajv.addKeyword({ keyword: EACH_ONCE, type: 'array', modifying: true, validate: keepEachOnce });
}

const ajv = ajvWith({});
/** Query parameters arrive as text. */
const coercingAjv = ajvWith({ coerceTypes: true });

type JsonSchema = Record<string, unknown>;

/** Requests are closed: an object with named members takes no others, at any depth. */
export function close(schema: TSchema): TSchema {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (node === null || typeof node !== 'object') return node;
    const copy: JsonSchema = {};
    for (const [name, value] of Object.entries(node)) copy[name] = walk(value);
    const isOpen = 'additionalProperties' in copy || 'patternProperties' in copy;
    if (copy.type === 'object' && copy.properties && !isOpen) copy.unevaluatedProperties = false;
    return copy;
  };
  return walk(schema) as TSchema;
}

/** Keywords that look at every part of a value, some of them more than once. */
const COSTLY = ['pattern', 'uniqueItems', EACH_ONCE, 'items'];
/** JSON Schema's keyword; as a name in an object literal it looks like a promise's method. */
const THEN = 'then';
/** Keywords whose members are schemas by a name of the tenant's data: a property may be called `items`. */
const MAPS = ['properties', 'patternProperties'];

/**
 * The same schema, in which sizes are checked first: what is too long is refused for that alone. All faults of a value
 * are reported, so without this a pattern would run on all that a body holds, however short the value must be.
 */
function sizesFirst(schema: TSchema): TSchema {
  const walk = (node: unknown, isMap: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item) => walk(item, false));
    if (node === null || typeof node !== 'object') return node;
    const copy: JsonSchema = {};
    for (const [name, value] of Object.entries(node)) copy[name] = walk(value, !isMap && MAPS.includes(name));
    const { maxLength, maxItems } = copy;
    const within = { ...(maxLength !== undefined && { maxLength }), ...(maxItems !== undefined && { maxItems }) };
    if (isMap || Object.keys(within).length === 0) return copy;
    const entries = Object.entries(copy);
    const cheap = entries.filter(([name]) => !COSTLY.includes(name));
    const costly = entries.filter(([name]) => COSTLY.includes(name));
    if (costly.length === 0) return copy;
    return { ...Object.fromEntries(cheap), if: within, [THEN]: Object.fromEntries(costly) };
  };
  return walk(schema, false) as TSchema;
}

function describe({ instancePath, keyword, params, message }: ErrorObject, root: string): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : `${path}.${part}`), root);
  if (keyword === 'unevaluatedProperties') return `${path}.${String(params.unevaluatedProperty)}: unknown property`;
  if (keyword === 'additionalProperties') return `${path}.${String(params.additionalProperty)}: unknown property`;
  if (keyword === 'required') return `${path}.${String(params.missingProperty)}: is required`;
  if (keyword === 'enum') return `${path}: must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
  return `${path}: ${message}`;
}

function faultsOf(errors: ErrorObject[] | null | undefined, root: string): string {
  const faults = (errors ?? []).filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if').slice(0, MOST_FAULTS);
  return [...new Set(faults.map((error) => describe(error, root)))].slice(0, MOST_LINES).join('\n');
}

export const invalidInput = (root: string, details: string): ServiceError =>
  new ServiceError('guard.invalid_input', { message: `The ${root} of the request is not valid.`, details });

/** U+0000 cannot be stored on PostgreSQL; a lone surrogate is no text at all. */
const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/**
 * Refuses what no schema can say: unclean text and depth. Walks with a stack of its own, so depth
 * cannot exhaust the call stack.
 */
export function refuseUnclean(value: unknown, root: string): void {
  const waiting: [unknown, string, number][] = [[value, root, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, path, depth] = next;
    if (typeof node === 'string' && !isCleanText(node))
      throw invalidInput(root, `${path}: holds U+0000 or half a surrogate pair`);
    if (node === null || typeof node !== 'object') continue;
    if (depth >= MAX_DEPTH) throw invalidInput(root, `${root}: is nested deeper than ${MAX_DEPTH}`);
    for (const [name, member] of Object.entries(node)) {
      if (!isCleanText(name)) throw invalidInput(root, `${path}: a name holds U+0000 or half a surrogate pair`);
      waiting.push([member, Array.isArray(node) ? `${path}[${name}]` : `${path}.${name}`, depth + 1]);
    }
  }
}

/** @returns the value, coerced in place where it is a query */
export function parser(schema: TSchema, root: 'body' | 'query' | 'params'): (value: unknown) => unknown {
  const compile: ValidateFunction = (root === 'query' ? coercingAjv : ajv).compile(sizesFirst(close(schema)));
  return (value) => {
    refuseUnclean(value, root);
    if (compile(value)) return value;
    throw invalidInput(root, faultsOf(compile.errors, root));
  };
}
