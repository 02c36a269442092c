import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ConnectorRow } from '../../database/tables/index.ts';
import { Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { connectorPurposeOf, DEFAULT_SCOPE } from '../../sign-in/proofs/connectors.ts';

const Fields = {
  target: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
    maxLength: 64,
    examples: ['google'],
    description: 'Names the provider in `identities`; part of the redirect URI `{endpoint}/sign-in/callback/{target}`.',
  }),
  name: Type.String({ minLength: 1, maxLength: 64, description: 'As the sign-in page shows it' }),
  issuer: Type.String({
    pattern: '^https?://\\S+$',
    maxLength: 2048,
    examples: ['https://accounts.google.com'],
    description: 'Discovered by OpenID Connect',
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
        'E-mail domains in lower case. With one or more, the connector is single sign-on for them, and the only way to sign in with an address of theirs.',
    }),
  ),
  assumeEmailVerified: Type.Optional(
    Type.Boolean({
      description:
        'For providers that never send `email_verified`: an address without it counts as verified. Default: false. An address with `email_verified: false` is refused in any case.',
    }),
  ),
};
const Secret = Type.String({ minLength: 1, maxLength: 2048, description: 'Never returned' });

const Connector = Type.Object({
  tenantId: Type.String(),
  id: Type.String(),
  ...Fields,
  scope: Type.String(),
  domains: Type.Array(Type.String()),
  assumeEmailVerified: Type.Boolean(),
  createdAt: Timestamp,
});

/** An e-mail domain leads to one provider. */
async function requireFreeDomains(store: TenantStore, domains: string[] = [], ownId?: string): Promise<void> {
  const others: ConnectorRow[] = await store.from('connectors').select('*');
  const isTaken = others.some(
    (other) => other.id !== ownId && other.domains.some((domain) => domains.includes(domain)),
  );
  if (isTaken) throw new ServiceError('connector.domain_in_use');
}

/** Renamed, a connector would leave its accounts behind: they could not sign in by it, nor would it bind them any more. */
async function requireNoIdentities(store: TenantStore, id: string, target: string): Promise<void> {
  const connector = await store.find('connectors', { id });
  if (!connector || connector.target === target) return;
  const linked = await store.from('userIdentities').where({ target: connector.target }).first('userId');
  if (linked) throw new ServiceError('connector.has_identities');
}

export const connectors = [
  operation('GET /connectors', {
    summary: 'List the identity providers that people can sign in with',
    status: 200,
    returns: Type.Array(Connector),
    run: ({ store }) => store.from('connectors').orderBy('createdAt').select('*'),
  }),

  operation('POST /connectors', {
    summary: 'Add an OpenID Connect provider',
    description: 'SAML is not supported.',
    status: 201,
    body: Type.Object({ ...Fields, clientSecret: Secret }),
    returns: Connector,
    errors: ['connector.target_in_use', 'connector.domain_in_use'],
    async run({ body: { clientSecret, scope = DEFAULT_SCOPE, domains = [], ...given }, store, secrets, now }) {
      const fields = { assumeEmailVerified: false, ...given };
      await requireFreeDomains(store, domains);
      const id = newId();
      const clientSecretEncrypted = secrets.seal(clientSecret, connectorPurposeOf(store.tenantId, id));
      return store.insert('connectors', { ...fields, id, scope, domains, clientSecretEncrypted, createdAt: now });
    },
  }),

  operation('GET /connectors/:id', {
    summary: 'Read an identity provider',
    status: 200,
    returns: Connector,
    errors: ['entity.not_exists_with_id'],
    run: ({ params, store }) => store.get('connectors', params),
  }),

  operation('PATCH /connectors/:id', {
    summary: 'Change an identity provider',
    status: 200,
    body: Type.Partial(Type.Object({ ...Fields, clientSecret: Secret })),
    returns: Connector,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'connector.target_in_use',
      'connector.domain_in_use',
      'connector.has_identities',
    ],
    async run({ params: { id }, body: { clientSecret, ...fields }, store, secrets }) {
      if (fields.target !== undefined) await requireNoIdentities(store, id, fields.target);
      await requireFreeDomains(store, fields.domains, id);
      const secret = clientSecret && {
        clientSecretEncrypted: secrets.seal(clientSecret, connectorPurposeOf(store.tenantId, id)),
      };
      return store.update('connectors', { id }, { ...fields, ...secret });
    },
  }),

  operation('DELETE /connectors/:id', {
    summary: 'Remove an identity provider',
    description: 'Accounts stay linked: they can be unlinked one by one.',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => store.remove('connectors', params),
  }),
];
