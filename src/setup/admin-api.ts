import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { DEFAULT_TOKEN_TTL } from '../entities.ts';
import { ADMIN_API } from '../tokens/urns.ts';
import { type ApplicationCredentials, addMachineApplication } from './create-tenant.ts';

const { resourceId, scopeId, scope } = ADMIN_API;

/**
 * Adds the Operator API: a resource of the default tenant, and a machine-to-machine application that may call it. It is
 * not the application of the Management API, so that a backend whose credentials leak cannot change or delete tenants.
 * The Management API does not let an application without the operators' scope assign it, or read the secrets of one
 * that has it.
 */
export async function addAdminApi(
  store: TenantStore,
  { endpoint, secrets, now }: { endpoint: string; secrets: SecretBox; now: number },
): Promise<ApplicationCredentials> {
  const indicator = `${endpoint}/admin/api`;
  await store.add('resources', [
    { id: resourceId, name: 'Operator API', indicator, isDefault: false, accessTokenTtl: DEFAULT_TOKEN_TTL },
  ]);
  const description = 'Create, change, suspend and delete tenants';
  await store.add('scopes', [{ id: scopeId, resourceId, name: scope, description, createdAt: now }]);
  const role = { name: 'Operator API access', description: 'Can call the Operator API' };
  const operator = { name: 'Operator', description: 'The first caller of the Operator API', scopeId, role };
  return addMachineApplication(store, operator, { secrets, now });
}
