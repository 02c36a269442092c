import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { EACH_ONCE } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';

/** Deeper JSON is refused before any code walks it recursively. */
const MAX_DEPTH = 64;

/** Most faults to describe. A body that is completely wrong has more than anyone reads. */
const MAX_FAULTS = 100;
/** Most lines of `details`. */
const MAX_LINES = 20;

function keepEachOnce(_schema: unknown, values: unknown[]): boolean {
  const once = new Set(values);
  if (once.size === values.length) return true;
  values.length = 0;
  for (const value of once) values.push(value);
  return true;
}

/** Returns a function that compiles a schema at its first use, once for all services of a process. */
function validators(options: Options): (schema: TSchema) => ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false, ...options });
  ajv.addKeyword({ keyword: EACH_ONCE, type: 'array', modifying: true, validate: keepEachOnce });
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  return (schema) => {
    const validate = compiled.get(schema) ?? ajv.compile(sizesFirst(close(schema)));
    compiled.set(schema, validate);
    return validate;
  };
}

const plain = validators({});
/** For query parameters, which arrive as text. */
const coercing = validators({ coerceTypes: true });

type JsonSchema = Record<string, unknown>;

/** Returns the schema with unknown properties forbidden in every object that names its properties, at any depth. */
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

/** Keywords whose validation visits every part of a value, some of them more than once. */
const COSTLY = ['pattern', 'uniqueItems', EACH_ONCE, 'items'];
/** The JSON Schema keyword. Written out in an object literal it would look like a promise's method. */
const THEN = 'then';
/** Keywords whose values are schemas by property name. A property can be called `items`, like a keyword. */
const MAPS = ['properties', 'patternProperties'];

/**
 * Returns the schema with size limits checked first, so that a value that is too long is refused for that reason only.
 * Without this a pattern would run on values of any length, because all faults of a value are reported.
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

function describeFault({ instancePath, keyword, params, message }: ErrorObject, root: string): string {
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

function faultsOf(errors: readonly ErrorObject[], root: string): string {
  const faults = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if').slice(0, MAX_FAULTS);
  return [...new Set(faults.map((error) => describeFault(error, root)))].slice(0, MAX_LINES).join('\n');
}

/** Returns the names of the members with a fault. Undefined if the value itself is wrong. */
function faultyMembers(errors: readonly ErrorObject[]): Set<string> | undefined {
  const faulty = new Set<string>();
  for (const { instancePath, keyword, params } of errors) {
    const [, name] = instancePath.split('/');
    if (name !== undefined) faulty.add(name.replaceAll('~1', '/').replaceAll('~0', '~'));
    else if (keyword === 'required') faulty.add(String(params.missingProperty));
    else if (keyword === 'unevaluatedProperties') faulty.add(String(params.unevaluatedProperty));
    else return undefined;
  }
  return faulty;
}

export const invalidInput = (root: string, details: string): ServiceError =>
  new ServiceError('guard.invalid_input', { message: `The ${root} of the request is not valid.`, details });

/** PostgreSQL cannot store U+0000, and a lone surrogate is not valid text. */
const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/**
 * Refuses invalid text and excessive depth, which a schema cannot express. Uses its own stack, so that deep values
 * cannot exhaust the call stack.
 */
export function checkTextAndDepth(value: unknown, root: string): void {
  const waiting: [unknown, string, number][] = [[value, root, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, path, depth] = next;
    if (typeof node === 'string' && !isStorableText(node))
      throw invalidInput(root, `${path}: must not contain U+0000 or a lone surrogate`);
    if (node === null || typeof node !== 'object') continue;
    if (depth >= MAX_DEPTH) throw invalidInput(root, `${root}: must not be nested deeper than ${MAX_DEPTH} levels`);
    for (const name of Object.keys(node)) {
      if (!isStorableText(name))
        throw invalidInput(root, `${path}: property names must not contain U+0000 or a lone surrogate`);
      const member = (node as Record<string, unknown>)[name];
      const isFine = typeof member === 'string' ? isStorableText(member) : typeof member !== 'object';
      if (isFine) continue;
      waiting.push([member, Array.isArray(node) ? `${path}[${name}]` : `${path}.${name}`, depth + 1]);
    }
  }
}

type Check = (valid: object) => void;

/** Returns the faults that a check finds in the members that the schema accepts, one line each. */
function furtherFaults(check: Check, value: unknown, errors: readonly ErrorObject[]): string[] {
  const faulty = faultyMembers(errors);
  if (!faulty) return [];
  try {
    check(Object.fromEntries(Object.entries(value as object).filter(([name]) => !faulty.has(name))));
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const lines = error.details?.split('\n') ?? [];
    return lines.filter((line) => !faulty.has(/^body\.(\w+)/.exec(line)?.[1] ?? ''));
  }
}

/**
 * Returns a function that validates a value and returns it. A query is coerced in place.
 *
 * @param check refuses what the schema cannot express
 * @throws 400 `guard.invalid_input`, or what `check` throws if it alone finds a fault
 */
export function parser(schema: TSchema, root: 'body' | 'query' | 'params', check?: Check): (value: unknown) => unknown {
  const validatorOf = root === 'query' ? coercing : plain;
  return (value) => {
    checkTextAndDepth(value, root);
    const validate = validatorOf(schema);
    if (validate(value)) {
      check?.(value as object);
      return value;
    }
    const errors = validate.errors ?? [];
    const further = check ? furtherFaults(check, value, errors) : [];
    throw invalidInput(root, [faultsOf(errors, root), ...further].join('\n'));
  };
}
