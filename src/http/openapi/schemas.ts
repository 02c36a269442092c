import type { TSchema } from 'typebox';
import {
  Application,
  ApplicationSecret,
  Hook,
  Organization,
  OrganizationRole,
  OrganizationScope,
  Resource,
  Role,
  Scope,
  User,
} from '../../entities.ts';

/** Schemas with a name of their own in the document; everywhere else they are referred to. */
const NAMED: Record<string, TSchema> = {
  User,
  Role,
  Scope,
  Resource,
  Organization,
  OrganizationRole,
  OrganizationScope,
  Application,
  ApplicationSecret,
  Hook,
};
const names = new Map<unknown, string>(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** A copy in which named schemas are references. */
export function referring(node: unknown): unknown {
  const name = names.get(node);
  return name === undefined ? inside(node) : { $ref: `#/components/schemas/${name}` };
}

function inside(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(referring);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, referring(value)]));
}

/** For `components.schemas`. */
export const namedSchemas = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, inside(schema)]));
