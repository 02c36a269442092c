import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { ServiceError } from '../errors.ts';

/** Deeper JSON is refused before anything walks it recursively. */
const MAX_DEPTH = 64;

const ajv = new Ajv2020({ allErrors: true, strict: false });
/** Query parameters arrive as text. */
const coercingAjv = new Ajv2020({ allErrors: true, strict: false, coerceTypes: true });

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
  const lines = (errors ?? []).filter(({ keyword }) => keyword !== 'anyOf').map((error) => describe(error, root));
  return [...new Set(lines)].slice(0, 20).join('\n');
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
  const compile: ValidateFunction = (root === 'query' ? coercingAjv : ajv).compile(close(schema));
  return (value) => {
    refuseUnclean(value, root);
    if (compile(value)) return value;
    throw invalidInput(root, faultsOf(compile.errors, root));
  };
}
