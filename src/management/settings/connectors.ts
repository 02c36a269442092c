import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ConnectorRow } from '../../database/tables/index.ts';
import { Owned, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { connectorPurposeOf, DEFAULT_SCOPE } from '../../sign-in/proofs/connectors.ts';
import { byId, removal } from '../shared/listing.ts';
import { serialize } from '../shared/serialize.ts';

const Fields = {
  target: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
    maxLength: 64,
    examples: ['google'],
    description: 'Names the provider in `identities` and in the redirect URI `{endpoint}/sign-in/callback/{target}`',
  }),
  name: Type.String({ minLength: 1, maxLength: 64, description: 'Display name on the sign-in page' }),
  issuer: Type.String({
    pattern: '^https?://\\S+$',
    maxLength: 2048,
    examples: ['https://accounts.google.com'],
    description: 'OpenID Connect issuer. Its endpoints and keys are discovered from it.',
  }),
  clientId: Type.String({ minLength: 1, maxLength: 2048 }),
  scope: Type.Optional(
    Type.String({
      pattern: '(^| )openid( |$)',
      maxLength: 1024,
      examples: [DEFAULT_SCOPE],
      description: `Default: ${DEFAULT_SCOPE}`,
    }),
  ),
  domains: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$', maxLength: 253, examples: ['example.com'] }), {
      maxItems: 100,
      uniqueItems: true,
      description:
        'Email domains in lower case. If set, the connector is single sign-on for them, and users with an address in one of them can only sign in with it.',
    }),
  ),
  assumeEmailVerified: Type.Optional(
    Type.Boolean({
      description:
        'Default: false. Set it for providers that never send `email_verified`: an address without it then counts as verified. An address with `email_verified: false` is always refused.',
    }),
  ),
};
const Secret = Type.String({ minLength: 1, maxLength: 2048, description: 'Never returned' });

const Connector = Type.Object({
  ...Owned,
  ...Fields,
  scope: Type.String(),
  domains: Type.Array(Type.String()),
  assumeEmailVerified: Type.Boolean(),
  createdAt: Timestamp,
});

/** An email domain belongs to at most one connector. @throws 422 `connector.domain_in_use` */
async function requireFreeDomains(store: TenantStore, domains: string[] = [], ownId?: string): Promise<void> {
  const others: ConnectorRow[] = await store.from('connectors').select('*');
  const isTaken = others.some(
    (other) => other.id !== ownId && other.domains.some((domain) => domains.includes(domain)),
  );
  if (isTaken) throw new ServiceError('connector.domain_in_use');
}

/**
 * Renaming the target would cut off the accounts linked by it: their users could no longer sign in with the connector.
 *
 * @throws 422 `connector.has_identities`
 */
async function requireNoIdentities(store: TenantStore, id: string, target: string): Promise<void> {
  const connector = await store.find('connectors', { id });
  if (!connector || connector.target === target) return;
  const linked = await store.from('userIdentities').where({ target: connector.target }).first('userId');
  if (linked) throw new ServiceError('connector.has_identities');
}

export const connectors = [
  operation('GET /connectors', {
    summary: 'List connectors, the identity providers that users can sign in with',
    role: 'viewer',
    status: 200,
    returns: Type.Array(Connector),
    run: ({ store }) => store.from('connectors').orderBy('createdAt').select('*'),
  }),

  operation('POST /connectors', {
    summary: 'Create a connector to an OpenID Connect provider',
    role: 'editor',
    roleInDefault: 'owner',
    description: 'SAML is not supported.',
    status: 201,
    body: Type.Object({ ...Fields, clientSecret: Secret }),
    example: {
      target: 'google',
      name: 'Google',
      issuer: 'https://accounts.google.com',
      clientId: '1234567890.apps.googleusercontent.com',
      clientSecret: 'The client secret that Google shows',
    },
    returns: Connector,
    errors: ['connector.target_in_use', 'connector.domain_in_use'],
    async run({ body: { clientSecret, scope = DEFAULT_SCOPE, domains = [], ...given }, store, secrets, now }) {
      const fields = { assumeEmailVerified: false, ...given };
      await serialize(store);
      await requireFreeDomains(store, domains);
      const id = newId();
      const clientSecretEncrypted = secrets.seal(clientSecret, connectorPurposeOf(store.tenantId, id));
      return store.insert('connectors', { ...fields, id, scope, domains, clientSecretEncrypted, createdAt: now });
    },
  }),

  operation('GET /connectors/:id', byId('connectors', 'Get a connector', Connector)),

  operation('PATCH /connectors/:id', {
    summary: 'Update a connector',
    role: 'editor',
    roleInDefault: 'owner',
    status: 200,
    body: Type.Partial(Type.Object({ ...Fields, clientSecret: Secret })),
    example: { name: 'Google Workspace', domains: ['example.com'] },
    returns: Connector,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'connector.target_in_use',
      'connector.domain_in_use',
      'connector.has_identities',
    ],
    async run({ params: { id }, body: { clientSecret, ...fields }, store, secrets }) {
      await serialize(store);
      if (fields.target !== undefined) await requireNoIdentities(store, id, fields.target);
      await requireFreeDomains(store, fields.domains, id);
      const secret = clientSecret && {
        clientSecretEncrypted: secrets.seal(clientSecret, connectorPurposeOf(store.tenantId, id)),
      };
      return store.update('connectors', { id }, { ...fields, ...secret });
    },
  }),

  operation('DELETE /connectors/:id', {
    ...removal('connectors', 'Delete a connector'),
    roleInDefault: 'owner',
    description: 'Accounts stay linked. Unlink them one by one.',
  }),
];
