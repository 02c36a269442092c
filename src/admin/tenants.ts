import Type from 'typebox';
import { newId } from '../base/ids.ts';
import { Resource, Timestamp } from '../entities.ts';
import { ServiceError } from '../errors.ts';
import { type Operation, operation, type Page } from '../http/operations/operation.ts';
import { optional } from '../management/shared/fields.ts';
import { addTenant } from '../setup/create-tenant.ts';
import { DEFAULT_TENANT, MAX_ENDPOINT_LENGTH } from '../tenants.ts';
import { DEFAULT_ALGORITHM, generateSigningKey } from '../tokens/keys/signing-keys.ts';
import { changeTenant, findTenant, listTenants, lockDirectory, unlistTenant } from './directory.ts';
import { normalizedEndpoints, requireFreePlaces, TENANT_ID } from './endpoints.ts';

const name = Type.String({ minLength: 1, maxLength: 128 });
const endpoints = Type.Array(Type.String({ maxLength: MAX_ENDPOINT_LENGTH, examples: ['https://id.example.com'] }), {
  minItems: 1,
  maxItems: 20,
  description:
    'Host, or host and path: a request belongs to the longest that its URL begins with. The first is the canonical one, from which the issuer is made.',
});
const isSuspended = Type.Boolean({ description: 'Every path of a suspended tenant answers 403 `tenant.suspended`' });

const { indicator } = Resource.properties;
const aliases = Type.Array(indicator, { maxItems: 20, uniqueItems: true });
const indicators = {
  managementApiIndicator: Type.String({
    ...indicator,
    description:
      'The resource that callers of the Management API ask for. When it changes, the one before becomes an alias, unless the same call gives the aliases.',
  }),
  managementApiIndicatorAliases: Type.Array(indicator, {
    ...aliases,
    description: 'Accepted besides the indicator. Replaced whole.',
  }),
  operatorApiIndicator: Type.String({ ...indicator, description: 'Likewise, of this API: the default tenant alone.' }),
  operatorApiIndicatorAliases: aliases,
};

const Tenant = Type.Object({
  id: Type.String(),
  name,
  endpoints: Type.Array(Type.String()),
  managementApiIndicator: indicators.managementApiIndicator,
  managementApiIndicatorAliases: indicators.managementApiIndicatorAliases,
  operatorApiIndicator: Type.Optional(indicators.operatorApiIndicator),
  operatorApiIndicatorAliases: Type.Optional(aliases),
  isSuspended,
  createdAt: Timestamp,
});

const NewTenant = Type.Object({
  ...Tenant.properties,
  machine: Type.Object(
    { clientId: Type.String(), clientSecret: Type.String() },
    { description: 'Its first machine-to-machine application, shown this once' },
  ),
});

/** Whoever locks it out locks out themselves: this API is served by it. */
function refuseDefault(id: string): void {
  if (id === DEFAULT_TENANT) throw new ServiceError('tenant.is_default');
}

/** For those who run the service, served by the default tenant. Each row changes tenants, none their content. */
export const adminOperations: readonly Operation[] = [
  operation('GET /tenants', {
    summary: 'List tenants, newest first',
    status: 200,
    returns: Type.Array(Tenant),
    paginated: 'always',
    run: ({ store, page }) => listTenants(store, page as Page),
  }),

  operation('POST /tenants', {
    summary: 'Make a tenant, with a signing key and a machine that may call its Management API',
    status: 201,
    body: Type.Object({
      id: Type.Optional(Type.String({ pattern: TENANT_ID.source, maxLength: 32 })),
      name,
      endpoints,
    }),
    returns: NewTenant,
    errors: ['entity.unique_integrity_violation'],
    prepare: () => generateSigningKey(DEFAULT_ALGORITHM),
    async run({ body: { id = newId(), name, endpoints }, prepared: signingKey, store, secrets, now }) {
      const urls = normalizedEndpoints(endpoints);
      await lockDirectory(store);
      const { db, storeOf } = store.acrossTenants();
      await requireFreePlaces(db, id, urls);
      const managementApiIndicator = `${urls[0]}/api`;
      const tenant = { id, name, endpoints: urls, managementApiIndicator };
      const machine = await addTenant(db, storeOf(id), tenant, { secrets, signingKey, now });
      if (!machine) throw new ServiceError('entity.unique_integrity_violation', { data: { id } });
      return { ...tenant, managementApiIndicatorAliases: [], isSuspended: false, createdAt: now, machine };
    },
    audit: ({ endpoints }) => ({ endpoints }),
  }),

  operation('GET /tenants/:id', {
    summary: 'Read a tenant',
    status: 200,
    returns: Tenant,
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, store }) {
      const tenant = await findTenant(store, id);
      if (!tenant) throw new ServiceError('entity.not_exists_with_id');
      return tenant;
    },
  }),

  operation('PATCH /tenants/:id', {
    summary: 'Rename, move, suspend or resume a tenant',
    description:
      'Endpoints are replaced whole, and the issuer follows the first. Indicators move when they are given, in the same call or in another.',
    status: 200,
    body: optional({ name, endpoints, isSuspended, ...indicators }),
    returns: Tenant,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'entity.unique_integrity_violation',
      'resource.resource_identifier_in_use',
      'tenant.is_default',
    ],
    async run({ params: { id }, body: { endpoints, ...fields }, store }) {
      if (fields.isSuspended) refuseDefault(id);
      if (!endpoints && Object.keys(fields).length === 0) throw new ServiceError('entity.invalid_input');
      const patch = { ...fields, ...(endpoints && { endpoints: normalizedEndpoints(endpoints) }) };
      await lockDirectory(store);
      return changeTenant(store, id, patch);
    },
    audit: (_, { body }) => body,
  }),

  operation('DELETE /tenants/:id', {
    summary: 'Delete a tenant with all it has',
    description: 'It is out of reach at once. Its rows are removed in the background, in small batches.',
    status: 202,
    errors: ['entity.not_found', 'tenant.is_default'],
    async run({ params: { id }, store }) {
      refuseDefault(id);
      await lockDirectory(store);
      await unlistTenant(store, id);
    },
  }),
];
