import { type AdministratorRole, requireRole } from '../../base/administrator-role.ts';
import { DEFAULT_TENANT } from '../../tenants.ts';
import type { Input, Operation } from './operation.ts';

/** Returns the least role that may perform the operation in this tenant. */
export const leastRoleOf = (
  { role, roleInDefault = role }: Pick<Operation, 'role' | 'roleInDefault'>,
  tenantId: string,
): AdministratorRole => (tenantId === DEFAULT_TENANT ? roleInDefault : role);

/** Returns the users that the path and the body name as `userId`, or as `userIds`. */
function usersOf({ params, body }: Input): string[] {
  const { userId, userIds } = (body ?? {}) as { userId?: unknown; userIds?: unknown };
  return [params.userId, userId, userIds].flat().filter((id) => typeof id === 'string');
}

/**
 * Protects users of the default tenant who are administrators, of any tenant. Otherwise an editor could set the password
 * of an owner, and support could act as one.
 *
 * @throws 403 `administrator.role_required` unless the caller is an owner
 */
export async function protectAdministrators({ method }: Operation, input: Input): Promise<void> {
  const { caller, tenant } = input;
  const users = usersOf(input);
  if (caller.role === 'owner' || method === 'GET' || tenant.id !== DEFAULT_TENANT || users.length === 0) return;
  const found = await tenant.store.from('administrators').whereIn('userId', users).first('userId');
  if (found) requireRole(caller.role, 'owner', 'This user is an administrator.');
}
