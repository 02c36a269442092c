import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import type { Caller } from '../../http/operations/operation.ts';
import { ADMIN_API } from '../../tokens/urns.ts';

const { scope, scopeId } = ADMIN_API;

/** The scope only exists in the default tenant, so no role of another tenant has it. */
async function isHeldByRole(store: TenantStore, roleIds: readonly string[]): Promise<boolean> {
  if (roleIds.length === 0) return false;
  return (await store.from('roleScopes').where({ scopeId }).whereIn('roleId', roleIds).first('roleId')) !== undefined;
}

async function isHeldByApplication(store: TenantStore, applicationId: string): Promise<boolean> {
  const roles = await store.from('applicationRoles').where({ applicationId }).select('roleId');
  return isHeldByRole(
    store,
    roles.map(({ roleId }) => roleId),
  );
}

/**
 * A caller with the scope `all` must not be able to obtain the scope `tenants`. Otherwise a backend whose secret leaks
 * could delete tenants. Administrators pass, because the console of the default tenant already offers them the
 * operators' operations.
 */
async function requireOperator(store: TenantStore, { userId, applicationId }: Caller): Promise<void> {
  if (userId !== undefined || (await isHeldByApplication(store, applicationId))) return;
  throw new ServiceError('auth.forbidden', {
    message: `Only an application with the scope ${scope}, or an administrator in the console, can do this. Use one of them.`,
    data: { scope },
  });
}

/** Call it before scopes are added to a role. @throws 403 `auth.forbidden` */
export async function guardScopes(store: TenantStore, caller: Caller, scopeIds: readonly string[]): Promise<void> {
  if (scopeIds.includes(scopeId)) await requireOperator(store, caller);
}

/** Call it before roles are assigned to applications, which may include the caller. @throws 403 `auth.forbidden` */
export async function guardRoles(store: TenantStore, caller: Caller, roleIds: readonly string[]): Promise<void> {
  if (await isHeldByRole(store, roleIds)) await requireOperator(store, caller);
}

/** Call it before the secrets of an application are read or changed. @throws 403 `auth.forbidden` */
export async function guardSecrets(store: TenantStore, caller: Caller, applicationId: string): Promise<void> {
  if (await isHeldByApplication(store, applicationId)) await requireOperator(store, caller);
}
