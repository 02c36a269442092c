import type { TSchema } from 'typebox';

interface Shape {
  properties?: Record<string, TSchema>;
  /** For a record: one pattern, which matches any name. */
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
}

/**
 * Returns the value with only the fields that the schema names, so that an unlisted column, such as a password hash, is
 * never returned by accident. A schema without `properties` keeps the whole value.
 */
export function project(schema: TSchema, value: unknown): unknown {
  const { properties, patternProperties, items, anyOf } = schema as Shape;
  if (value === null || value === undefined) return value;
  if (anyOf) return project(anyOf.find((option) => (option as { type?: string }).type !== 'null') ?? {}, value);
  if (items && Array.isArray(value)) return value.map((item) => project(items, item));
  if (patternProperties && typeof value === 'object') {
    const [member = {}] = Object.values(patternProperties);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, project(member, one)]));
  }
  if (!properties || typeof value !== 'object') return value;

  const kept: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) kept[name] = project(property, member);
  }
  return kept;
}
