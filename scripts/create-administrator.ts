import { parseArgs } from 'node:util';
import {
  createLink,
  findUser,
  giveRole,
  linkUrl,
  type Rights,
  removeAdministrator,
} from '../src/admin/administrators.ts';
import { ADMINISTRATOR_ROLES, isAdministratorRole } from '../src/base/administrator-role.ts';
import { readConfig } from '../src/config/index.ts';
import type { Database } from '../src/database/database.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { withDatabase } from './support/running-service.ts';

export const summary =
  "Create a one-time link that makes its user an administrator, or change an existing user's rights.";
export const usage = `[--tenant <id>]… [--role <role>] [--user <username, email or id> [--remove]]

  --tenant <id>   a tenant to manage (default: default); may be repeated
  --role <role>   ${ADMINISTRATOR_ROLES.join(', ')} (default: owner)
  --user <name>   give this user of the default tenant the role, instead of creating a link
  --remove        remove that user as administrator`;

async function requireTenants(database: Database, ids: readonly string[]): Promise<void> {
  const rows: { id: string }[] = await database.reader('tenants').whereIn('id', ids).select('id');
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) throw new Error(`There is no tenant ${missing.join(', ')}.`);
}

/** Gives a role in all the named tenants, or removes it: in none if one fails. */
async function changeRights(store: TenantStore, name: string, rights: Rights, isRemoving: boolean): Promise<void> {
  const { tenantIds, role } = rights;
  const user = await findUser(store, name);
  if (!user) throw new Error(`Tenant ${DEFAULT_TENANT} has no user ${name}.`);
  const change = { by: 'command', now: Date.now() } as const;
  if (isRemoving) {
    await store.transaction(async (store) => {
      for (const tenantId of tenantIds) await removeAdministrator(store, user.id, tenantId, change);
    });
  } else await giveRole(store, user.id, rights, change);
  console.log(
    `${name} (${user.id}) ${isRemoving ? 'no longer manages' : `has the role ${role} in`} ${tenantIds.join(', ')}.`,
  );
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      tenant: { type: 'string', multiple: true, default: [DEFAULT_TENANT] },
      role: { type: 'string', default: 'owner' },
      user: { type: 'string' },
      remove: { type: 'boolean', default: false },
    },
  });
  const { tenant: tenantIds, role, user: name, remove } = values;
  if (remove && name === undefined) throw new Error('--remove needs --user <username, email or id>.');
  if (!isAdministratorRole(role)) throw new Error(`--role must be one of ${ADMINISTRATOR_ROLES.join(', ')}.`);
  await withDatabase(async (database) => {
    await requireTenants(database, tenantIds);
    const store = new TenantStore(database, DEFAULT_TENANT);
    if (name !== undefined) return changeRights(store, name, { tenantIds, role }, remove);
    const token = await createLink(store, { tenantIds, role }, Date.now());
    console.log(`Open this link within 24 hours to become ${role} of ${tenantIds.join(', ')}. It works once:`);
    console.log(linkUrl(readConfig().endpoint, token));
  });
}
