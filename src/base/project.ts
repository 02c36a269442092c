import type { TSchema } from 'typebox';

interface Shape {
  properties?: Record<string, TSchema>;
  /** Of a record: one pattern, for the members of any name. */
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
}

/**
 * Keeps what a schema names and drops the rest, so that a column nobody listed (a password hash)
 * cannot leave by accident. A schema without `properties` lets its value through whole.
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
