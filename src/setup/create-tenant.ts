import type { Knex } from 'knex';
import { newId } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Database } from '../database/database.ts';
import { AfterCommit } from '../database/store/after-commit.ts';
import { TenantStore } from '../database/store/tenant-store.ts';
import { addSecret } from '../tokens/clients/application-secrets.ts';
import {
  addSigningKey,
  DEFAULT_ALGORITHM,
  generateSigningKey,
  type NewSigningKey,
} from '../tokens/keys/signing-keys.ts';
import { MANAGEMENT_RESOURCE_ID, MANAGEMENT_SCOPE_ID } from '../tokens/urns.ts';

export interface NewTenant {
  id: string;
  name: string;
  /** The first is the canonical one. */
  endpoints: string[];
  managementApiIndicator: string;
}

/** The credentials of a machine-to-machine application. */
export interface MachineCredentials {
  clientId: string;
  clientSecret: string;
}

/** Inserts the tenant; false when there is one of that id. A second process waits here for the first to commit. */
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

async function addManagementApi(store: TenantStore, indicator: string, now: number): Promise<void> {
  await store.add('resources', [
    { id: MANAGEMENT_RESOURCE_ID, name: 'Management API', indicator, isDefault: false, accessTokenTtl: 3600 },
  ]);
  await store.add('scopes', [
    {
      id: MANAGEMENT_SCOPE_ID,
      resourceId: MANAGEMENT_RESOURCE_ID,
      name: 'all',
      description: 'Everything the Management API can do',
      createdAt: now,
    },
  ]);
}

export interface NewMachine {
  name: string;
  description: string;
  /** The one scope it gets, through a role of its own. */
  scopeId: string;
  role: { name: string; description: string };
}

const BACKEND: NewMachine = {
  name: 'Backend',
  description: 'The first caller of the Management API',
  scopeId: MANAGEMENT_SCOPE_ID,
  role: { name: 'Management API access', description: 'May call the Management API' },
};

/** A machine-to-machine application with a secret, and a role that holds one scope. */
export async function addMachine(
  store: TenantStore,
  { name, description, scopeId, role }: NewMachine,
  { secrets, now }: { secrets: SecretBox; now: number },
): Promise<MachineCredentials> {
  const [roleId, clientId] = [newId(), newId()];
  await store.add('roles', [{ ...role, id: roleId, type: 'MachineToMachine', isDefault: false }]);
  await store.add('roleScopes', [{ roleId, scopeId }]);
  await store.add('applications', [
    {
      id: clientId,
      name,
      description,
      type: 'MachineToMachine',
      oidcClientMetadata: { redirectUris: [], postLogoutRedirectUris: [] },
      customClientMetadata: {},
      customData: {},
      isThirdParty: false,
      createdAt: now,
    },
  ]);
  const { value: clientSecret } = await addSecret(store, secrets, {
    applicationId: clientId,
    name: 'First secret',
    now,
  });
  await store.add('applicationRoles', [{ applicationId: clientId, roleId }]);
  return { clientId, clientSecret };
}

export interface Making {
  secrets: SecretBox;
  /** The first one, which signs at once. */
  signingKey: NewSigningKey;
  now: number;
}

/**
 * A tenant with all it needs to serve: endpoints, a signing key, the Management API and one machine
 * that may call it. Emits no event: nobody could listen yet.
 *
 * @param store the new tenant's, in the transaction of `db`
 * @returns undefined when the tenant is there already
 */
export async function addTenant(
  db: Knex,
  store: TenantStore,
  tenant: NewTenant,
  { secrets, signingKey, now }: Making,
): Promise<MachineCredentials | undefined> {
  if (!(await insertTenant(db, tenant, now))) return undefined;
  await addSigningKey(store, secrets, signingKey, { state: 'current', now });
  await addManagementApi(store, tenant.managementApiIndicator, now);
  return addMachine(store, BACKEND, { secrets, now });
}

/**
 * The same in a transaction of its own.
 *
 * @param also runs in the same transaction, with the new tenant's store
 */
export async function createTenant(
  database: Database,
  secrets: SecretBox,
  tenant: NewTenant,
  { now, also }: { now: number; also?: (store: TenantStore, machine: MachineCredentials) => Promise<void> },
): Promise<MachineCredentials | undefined> {
  const signingKey = await generateSigningKey(DEFAULT_ALGORITHM);
  return database.transaction(async (db) => {
    const store = new TenantStore(database, tenant.id, { db, after: new AfterCommit() });
    const machine = await addTenant(db, store, tenant, { secrets, signingKey, now });
    if (machine) await also?.(store, machine);
    return machine;
  });
}
