import type { TSchema } from 'typebox';

/** Keyword of a secret. Callers who may not see it get its placeholder. It is an extension, which appears unchanged in OpenAPI. */
export const SECRET = 'x-secret';
/** Stands for a hidden secret. A record keeps its names, and this replaces each value. */
export const HIDDEN = '…';

function hide(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return HIDDEN;
  return Object.fromEntries(Object.keys(value).map((name) => [name, HIDDEN]));
}

interface Shape {
  [SECRET]?: boolean;
  properties?: Record<string, TSchema>;
  /** For a record: one pattern, which matches any name. */
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
}

/**
 * Returns the value with only the fields that the schema names, so that an unlisted column, such as a password hash, is
 * never returned by accident. A schema without `properties` keeps the whole value. Secrets are shown or hidden.
 */
export function project(schema: TSchema, value: unknown, secrets: 'shown' | 'hidden' = 'shown'): unknown {
  const { properties, patternProperties, items, anyOf } = schema as Shape;
  if (value === null || value === undefined) return value;
  if (secrets === 'hidden' && (schema as Shape)[SECRET]) return hide(value);
  if (anyOf)
    return project(anyOf.find((option) => (option as { type?: string }).type !== 'null') ?? {}, value, secrets);
  if (items && Array.isArray(value)) return value.map((item) => project(items, item, secrets));
  if (patternProperties && typeof value === 'object') {
    const [member = {}] = Object.values(patternProperties);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, project(member, one, secrets)]));
  }
  if (!properties || typeof value !== 'object') return value;

  const kept: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) kept[name] = project(property, member, secrets);
  }
  return kept;
}
