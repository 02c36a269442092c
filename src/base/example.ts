import { createHash } from 'node:crypto';
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

/** Values of texts by the name of their property, where every schema with such a property means the same. */
const TEXTS: Record<string, string> = {
  tenantId: 'default',
  name: 'Support',
  description: 'Helps customers with their orders',
  avatar: 'https://shop.example.com/avatars/ada.png',
  password: 'violet harbour ninety',
  resource: 'https://orders.example.com/api',
  scope: 'read:orders',
  target: 'google',
  redirectUris: 'https://shop.example.com/callback',
  postLogoutRedirectUris: 'https://shop.example.com/',
  backchannelLogoutUri: 'https://shop.example.com/logged-out',
  logoUri: 'https://shop.example.com/logo.png',
  corsAllowedOrigins: 'https://shop.example.com',
  requiredContextKeys: 'ticketId',
  organizationRoleNames: 'Support',
  brandName: 'Shop',
  issuer: 'https://accounts.google.com',
  event: 'User.Created',
  events: 'User.Created',
  ip: '192.0.2.1',
  userAgent: 'Mozilla/5.0',
};

const ID = /^(?:id|jti|uid|.+(?:Id|Ids|By))$/;
/** Users and organizations have shorter ids than everything else. */
const SHORT_ID = /^(?:user|subject|actor|author|organization)Ids?$/;

/** Returns an id that is always the same for a name, and another one for every other name. `userIds` contains a `userId`. */
function idNamed(name: string): string {
  const digest = createHash('sha256').update(name.replace(/s$/, '')).digest('hex');
  return BigInt(`0x${digest}`)
    .toString(36)
    .slice(-(SHORT_ID.test(name) ? 12 : 21));
}

/**
 * Returns a value that the schema accepts, for the API reference and sample events: its own example or a plausible one.
 * Ids of different things differ, so that an example can be sent as it is.
 *
 * @param name the name of the property
 */
export function exampleOf(schema: TSchema, name = ''): unknown {
  const { type, examples, properties, items, anyOf, minimum, ...shape } = schema as Shape;
  if (type === 'string' && ID.test(name)) return idNamed(name);
  if (examples) return examples[0];
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.default !== undefined) return shape.default;
  if (anyOf?.[0]) return exampleOf(anyOf[0], name);
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, exampleOf(property, name)]));
  switch (type) {
    case 'object':
      return {};
    case 'array':
      return items ? [exampleOf(items, name)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 0;
    default:
      return TEXTS[name] ?? 'text';
  }
}
