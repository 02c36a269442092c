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

/** Schemas that the document names in `components.schemas` and refers to everywhere else. */
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

/** Returns a copy of a schema in which named schemas are references. */
export function referring(node: unknown): unknown {
  const name = names.get(node);
  return name === undefined ? inside(node) : { $ref: `#/components/schemas/${name}` };
}

function inside(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(referring);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, referring(value)]));
}

/** Returns the schemas for `components.schemas`. */
export const namedSchemas = (): Record<string, unknown> =>
  Object.fromEntries(Object.entries(NAMED).map(([name, schema]) => [name, inside(schema)]));
