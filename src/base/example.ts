import type { TSchema } from 'typebox';

interface Shape {
  type?: string;
  examples?: unknown[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  anyOf?: TSchema[];
  properties?: Record<string, TSchema>;
  items?: TSchema;
  minimum?: number;
}

/** Returns a value that the schema accepts, for the API reference and sample events: its own example or a simple one. */
export function exampleOf(schema: TSchema): unknown {
  const { type, examples, properties, items, anyOf, minimum, ...shape } = schema as Shape;
  if (examples) return examples[0];
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.default !== undefined) return shape.default;
  if (anyOf?.[0]) return exampleOf(anyOf[0]);
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, exampleOf(property)]));
  switch (type) {
    case 'object':
      return {};
    case 'array':
      return items ? [exampleOf(items)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 0;
    default:
      return 'text';
  }
}
