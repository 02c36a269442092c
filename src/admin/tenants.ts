import Type from 'typebox';
import { newId } from '../base/ids.ts';
import { Resource, Timestamp } from '../entities.ts';
import { ServiceError } from '../errors.ts';
import { type ApiOf, operation } from '../http/operations/operation.ts';
import { optional } from '../management/shared/fields.ts';
import { DEFAULT_TENANT, MAX_ENDPOINT_LENGTH } from '../tenants.ts';
import { DEFAULT_ALGORITHM, generateSigningKey } from '../tokens/keys/signing-keys.ts';
import { addTenant } from './create-tenant.ts';
import { normalizedEndpoints, requireFreeEndpoints, TENANT_ID } from './endpoints.ts';
import { changeTenant, findTenant, listTenants, lockTenantList, unlistTenant } from './tenant-list.ts';

const name = Type.String({ minLength: 1, maxLength: 128 });
const endpoints = Type.Array(Type.String({ maxLength: MAX_ENDPOINT_LENGTH, examples: ['https://id.example.com'] }), {
  minItems: 1,
  maxItems: 20,
  description:
    'URLs that the tenant is served at. A request belongs to the tenant with the longest endpoint that its URL begins with. The first is canonical: the issuer is derived from it.',
});
const isSuspended = Type.Boolean({ description: 'Every path of a suspended tenant responds 403 `tenant.suspended`' });

const { indicator } = Resource.properties;
const aliases = Type.Array(indicator, { maxItems: 20, uniqueItems: true });
const indicators = {
  managementApiIndicator: Type.String({
    ...indicator,
    description:
      'Resource indicator of the Management API. When it changes, the previous one becomes an alias, unless the request also sets the aliases.',
  }),
  managementApiIndicatorAliases: Type.Array(indicator, {
    ...aliases,
    description: 'Other indicators that are accepted. Replaced as a whole.',
  }),
  operatorApiIndicator: Type.String({
    ...indicator,
    description: 'Resource indicator of the Operator API. Only the default tenant has one.',
  }),
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
    { description: 'The first machine-to-machine application of the tenant. Only returned in this response.' },
  ),
});

/** The default tenant serves this API, so suspending or deleting it would lock the operators out. */
function refuseDefault(id: string): void {
  if (id === DEFAULT_TENANT) throw new ServiceError('tenant.is_default');
}

/** The operations of the Operator API, which the default tenant serves. They change tenants, never their contents. */
export const adminOperations = [
  operation('GET /tenants', {
    summary: 'List tenants, newest first',
    role: 'owner',
    status: 200,
    returns: Type.Array(Tenant),
    paginated: 'always',
    run: ({ store, page }) => listTenants(store, page),
  }),

  operation('POST /tenants', {
    summary: 'Create a tenant',
    role: 'owner',
    description: 'Also creates a signing key and a machine-to-machine application that may call its Management API.',
    status: 201,
    body: Type.Object({
      id: Type.Optional(Type.String({ pattern: TENANT_ID.source, maxLength: 32 })),
      name,
      endpoints,
    }),
    example: { name: 'Acme', endpoints: ['https://acme.example.com'] },
    returns: NewTenant,
    errors: ['entity.unique_integrity_violation'],
    check({ endpoints }) {
      if (endpoints) normalizedEndpoints(endpoints);
    },
    prepare: () => generateSigningKey(DEFAULT_ALGORITHM),
    async run({ body: { id = newId(), name, endpoints }, prepared: signingKey, store, secrets, now }) {
      const urls = normalizedEndpoints(endpoints);
      await lockTenantList(store);
      const { db, storeOf } = store.acrossTenants();
      await requireFreeEndpoints(db, id, urls);
      const managementApiIndicator = `${urls[0]}/api`;
      const tenant = { id, name, endpoints: urls, managementApiIndicator };
      const machine = await addTenant(db, storeOf(id), tenant, { secrets, signingKey, now });
      if (!machine) throw new ServiceError('entity.unique_integrity_violation', { data: { id } });
      return { ...tenant, managementApiIndicatorAliases: [], isSuspended: false, createdAt: now, machine };
    },
    audit: ({ endpoints }) => ({ endpoints }),
  }),

  operation('GET /tenants/:id', {
    summary: 'Get a tenant',
    role: 'owner',
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
    summary: 'Update, suspend or reactivate a tenant',
    role: 'owner',
    description:
      'Endpoints are replaced as a whole, and the issuer follows the first. Indicators do not follow; change them in the same request or a later one.',
    status: 200,
    body: optional({ name, endpoints, isSuspended, ...indicators }),
    example: { name: 'Acme Ltd.' },
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
      await lockTenantList(store);
      return changeTenant(store, id, patch);
    },
    audit: (_, { body }) => body,
  }),

  operation('DELETE /tenants/:id', {
    summary: 'Delete a tenant and all its data',
    role: 'owner',
    description: 'The tenant is unreachable immediately. Its data is deleted in the background.',
    status: 202,
    errors: ['entity.not_found', 'tenant.is_default'],
    async run({ params: { id }, store }) {
      refuseDefault(id);
      await lockTenantList(store);
      await unlistTenant(store, id);
    },
  }),
] as const;

/** The types of the calls of the Operator API, by route. */
export type OperatorApi = ApiOf<typeof adminOperations>;
