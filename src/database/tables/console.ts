import type { AdministratorRole } from '../../base/administrator-role.ts';
import { expiring, id, json, key, number, of, orDefault, orNull, table, text } from './table.ts';

const role = orDefault(of<AdministratorRole>(text), 'owner');

/** Administrators: users of the default tenant, which owns the rows, who manage tenants in the console. */
export const consoleTables = {
  administrators: table({ userId: key(text), managedTenantId: key(text), createdAt: number, role }),
  /** Single-use links that make a user an administrator. */
  administratorLinks: table({
    id,
    managedTenantIds: of<string[]>(json),
    spentAt: orNull(number),
    expiresAt: expiring(number),
    role,
  }),
  consoleSessions: table({ id, userId: text, createdAt: number, expiresAt: expiring(number) }),
};
