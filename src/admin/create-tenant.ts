import type { Knex } from 'knex';
import { newId } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Database } from '../database/database.ts';
import { AfterCommit } from '../database/store/after-commit.ts';
import { TenantStore } from '../database/store/tenant-store.ts';
import { DEFAULT_TOKEN_TTL } from '../entities.ts';
import { addSecret } from '../tokens/clients/application-secrets.ts';
import {
  addSigningKey,
  DEFAULT_ALGORITHM,
  generateSigningKey,
  type NewSigningKey,
} from '../tokens/keys/signing-keys.ts';
import { MANAGEMENT_API, type SystemApi } from '../tokens/urns.ts';

export interface NewTenant {
  id: string;
  name: string;
  /** The first is canonical. */
  endpoints: string[];
  managementApiIndicator: string;
}

/** The credentials of a machine-to-machine application. */
export interface ApplicationCredentials {
  clientId: string;
  clientSecret: string;
}

/** Inserts the tenant. False if the id exists already. A second process waits here until the first commits. */
async function insertTenant(db: Knex, { id, name, endpoints }: NewTenant, now: number): Promise<boolean> {
  const inserted = await db('tenants')
    .insert({ id, name, settings: '{}', createdAt: now })
    .onConflict('id')
    .ignore()
    .returning('id');
  if (inserted.length === 0) return false;
  await db('tenantEndpoints').insert(endpoints.map((url, position) => ({ url, tenantId: id, position })));
  return true;
}

export interface NewSystemApi {
  api: SystemApi;
  indicator: string;
  scopeDescription: string;
  /** Name of the first application that may call it. */
  caller: string;
}

/**
 * Adds an API of the service: its resource with its scope, and a machine-to-machine application that may call it, with
 * a client secret and a role of its own.
 */
export async function addSystemApi(
  store: TenantStore,
  { api, indicator, scopeDescription, caller }: NewSystemApi,
  { secrets, now }: { secrets: SecretBox; now: number },
): Promise<ApplicationCredentials> {
  const { name, resourceId, scopeId, scope } = api;
  await store.add('resources', [
    { id: resourceId, name, indicator, isDefault: false, accessTokenTtl: DEFAULT_TOKEN_TTL },
  ]);
  await store.add('scopes', [{ id: scopeId, resourceId, name: scope, description: scopeDescription, createdAt: now }]);
  const [roleId, clientId] = [newId(), newId()];
  const role = { name: `${name} access`, description: `Can call the ${name}` };
  await store.add('roles', [{ ...role, id: roleId, type: 'MachineToMachine', isDefault: false }]);
  await store.add('roleScopes', [{ roleId, scopeId }]);
  await store.add('applications', [
    {
      id: clientId,
      name: caller,
      description: `The first caller of the ${name}`,
      type: 'MachineToMachine',
      oidcClientMetadata: { redirectUris: [], postLogoutRedirectUris: [] },
      customClientMetadata: {},
      customData: {},
      isThirdParty: false,
      createdAt: now,
    },
  ]);
  const secret = { applicationId: clientId, name: 'First secret', now };
  const { value: clientSecret } = await addSecret(store, secrets, secret);
  await store.add('applicationRoles', [{ applicationId: clientId, roleId }]);
  return { clientId, clientSecret };
}

export interface AddTenantParts {
  secrets: SecretBox;
  /** The first key, which signs immediately. */
  signingKey: NewSigningKey;
  now: number;
}

/**
 * Adds a tenant with everything it needs: endpoints, a signing key, the Management API and one machine-to-machine
 * application that may call it. Emits no event, because no webhook can exist yet.
 *
 * @param store the new tenant's, in the transaction of `db`
 * @returns undefined if the tenant exists already
 */
export async function addTenant(
  db: Knex,
  store: TenantStore,
  tenant: NewTenant,
  { secrets, signingKey, now }: AddTenantParts,
): Promise<ApplicationCredentials | undefined> {
  if (!(await insertTenant(db, tenant, now))) return undefined;
  await addSigningKey(store, secrets, signingKey, { state: 'current', now });
  const scopeDescription = 'Full access to the Management API';
  const { managementApiIndicator: indicator } = tenant;
  const managementApi = { api: MANAGEMENT_API, indicator, scopeDescription, caller: 'Backend' };
  return addSystemApi(store, managementApi, { secrets, now });
}

/**
 * Adds a tenant in a transaction of its own.
 *
 * @param withinTransaction runs in that transaction, with the new tenant's store
 */
export async function createTenant(
  database: Database,
  secrets: SecretBox,
  tenant: NewTenant,
  {
    now,
    withinTransaction,
  }: { now: number; withinTransaction?: (store: TenantStore, machine: ApplicationCredentials) => Promise<void> },
): Promise<ApplicationCredentials | undefined> {
  const signingKey = await generateSigningKey(DEFAULT_ALGORITHM);
  return database.transaction(async (db) => {
    const store = new TenantStore(database, tenant.id, { db, after: new AfterCommit() });
    const machine = await addTenant(db, store, tenant, { secrets, signingKey, now });
    if (machine) await withinTransaction?.(store, machine);
    return machine;
  });
}
