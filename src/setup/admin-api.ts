import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { ADMIN_API } from '../tokens/urns.ts';
import { addMachine, type MachineCredentials } from './create-tenant.ts';

const { resourceId, scopeId, scope } = ADMIN_API;

/**
 * The API of operators: a resource of the default tenant, and a machine that may call it. This is not the machine of
 * the Management API, so that a backend whose credentials leak cannot change or delete tenants: the Management API refuses
 * to give its scope, or the secrets of a machine that holds it, to a machine that does not.
 */
export async function addAdminApi(
  store: TenantStore,
  { endpoint, secrets, now }: { endpoint: string; secrets: SecretBox; now: number },
): Promise<MachineCredentials> {
  const indicator = `${endpoint}/admin/api`;
  await store.add('resources', [
    { id: resourceId, name: 'Operator API', indicator, isDefault: false, accessTokenTtl: 3600 },
  ]);
  const description = 'May make, change, suspend and delete tenants';
  await store.add('scopes', [{ id: scopeId, resourceId, name: scope, description, createdAt: now }]);
  const role = { name: 'Operator API access', description: 'May call the Operator API' };
  const operator = { name: 'Operator', description: 'The first caller of the Operator API', scopeId, role };
  return addMachine(store, operator, { secrets, now });
}
