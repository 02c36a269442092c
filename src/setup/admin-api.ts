import type { TenantStore } from '../database/tenant-store.ts';
import { ADMIN_API } from '../oidc/urns.ts';

/** The API of those who run the service: a resource of the default tenant, held by the role of its first machine. */
export async function addAdminApi(
  store: TenantStore,
  { endpoint, applicationId, now }: { endpoint: string; applicationId: string; now: number },
): Promise<void> {
  const { resourceId, scopeId, scope } = ADMIN_API;
  const indicator = `${endpoint}/admin/api`;
  await store.add('resources', [
    { id: resourceId, name: 'Operator API', indicator, isDefault: false, accessTokenTtl: 3600 },
  ]);
  const description = 'May make, change, suspend and delete tenants';
  await store.add('scopes', [{ id: scopeId, resourceId, name: scope, description, createdAt: now }]);
  const held = await store.from('applicationRoles').where({ applicationId }).select('roleId');
  await store.add(
    'roleScopes',
    held.map(({ roleId }) => ({ roleId, scopeId })),
  );
}
