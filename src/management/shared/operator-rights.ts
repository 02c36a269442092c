import { requireRole } from '../../base/administrator-role.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import type { Caller } from '../../http/operations/operation.ts';
import { ADMIN_API, isSystemScope, MANAGEMENT_API } from '../../tokens/urns.ts';

const { scope, scopeId } = ADMIN_API;
const SYSTEM_SCOPES = [scopeId, MANAGEMENT_API.scopeId];

/** Returns the scopes for APIs of the service that these roles have. */
async function systemScopesOfRoles(store: TenantStore, roleIds: readonly string[]): Promise<string[]> {
  if (roleIds.length === 0) return [];
  const held = store.from('roleScopes').whereIn('roleId', roleIds).whereIn('scopeId', SYSTEM_SCOPES);
  return (await held.select('scopeId')).map((row) => row.scopeId);
}

/** Returns the scopes for APIs of the service that an application has. */
export async function systemScopesOf(store: TenantStore, applicationId: string): Promise<string[]> {
  const roles = await store.from('applicationRoles').where({ applicationId }).select('roleId');
  return systemScopesOfRoles(
    store,
    roles.map(({ roleId }) => roleId),
  );
}

/**
 * Decides who may obtain these scopes, or credentials of an application that has them. An administrator must be an owner,
 * because an application with one of them acts as an owner. An application with the scope `all` must not obtain the scope
 * `tenants`: otherwise a backend whose secret leaks could delete tenants. That scope only exists in the default tenant.
 *
 * @throws 403 `administrator.role_required`, `auth.forbidden`
 */
async function requireHolder(store: TenantStore, caller: Caller, scopeIds: readonly string[]): Promise<void> {
  if (!scopeIds.some(isSystemScope)) return;
  if (caller.userId !== undefined) return requireRole(caller.role, 'owner', FULL_ACCESS);
  if (!scopeIds.includes(scopeId) || (await systemScopesOf(store, caller.applicationId)).includes(scopeId)) return;
  throw new ServiceError('auth.forbidden', {
    message: `Only an application with the scope ${scope}, or an owner in the console, can do this. Use one of them.`,
    data: { scope },
  });
}

const FULL_ACCESS = 'An application with this scope can do everything that an owner can.';

/** Call it before scopes are added to a role. @throws what `requireHolder` throws */
export async function guardScopes(store: TenantStore, caller: Caller, scopeIds: readonly string[]): Promise<void> {
  await requireHolder(store, caller, scopeIds);
}

/** Call it before roles are assigned to applications, which may include the caller. @throws what `requireHolder` throws */
export async function guardRoles(store: TenantStore, caller: Caller, roleIds: readonly string[]): Promise<void> {
  await requireHolder(store, caller, await systemScopesOfRoles(store, roleIds));
}

/** Call it before the secrets of an application are read or changed. @throws what `requireHolder` throws */
export async function guardSecrets(store: TenantStore, caller: Caller, applicationId: string): Promise<void> {
  await requireHolder(store, caller, await systemScopesOf(store, applicationId));
}
