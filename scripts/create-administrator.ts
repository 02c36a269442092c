import { parseArgs } from 'node:util';
import { addAdministrator, createLink, findUser, linkUrl, removeAdministrator } from '../src/admin/administrators.ts';
import { readConfig } from '../src/config/index.ts';
import type { Database } from '../src/database/database.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { withDatabase } from './support/running-service.ts';

export const summary =
  "Create a one-time link that makes its user an administrator, or change an existing user's rights.";
export const usage = `[--tenant <id>]… [--user <username, email or id> [--remove]]

  --tenant <id>   a tenant to manage (default: default); may be repeated
  --user <name>   make this user of the default tenant an administrator, instead of creating a link
  --remove        revoke that user's right`;

async function requireTenants(database: Database, ids: readonly string[]): Promise<void> {
  const rows: { id: string }[] = await database.reader('tenants').whereIn('id', ids).select('id');
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) throw new Error(`There is no tenant ${missing.join(', ')}.`);
}

/** Grants or revokes the right to manage tenants: for all the named tenants, or for none if one fails. */
async function changeRights(store: TenantStore, name: string, tenantIds: string[], isRemoving: boolean): Promise<void> {
  const user = await findUser(store, name);
  if (!user) throw new Error(`Tenant ${DEFAULT_TENANT} has no user ${name}.`);
  const change = { by: 'command', now: Date.now() } as const;
  if (isRemoving) {
    await store.transaction(async (store) => {
      for (const tenantId of tenantIds) await removeAdministrator(store, user.id, tenantId, change);
    });
  } else await addAdministrator(store, user.id, tenantIds, change);
  console.log(`${name} (${user.id}) ${isRemoving ? 'no longer manages' : 'may manage'} ${tenantIds.join(', ')}.`);
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      tenant: { type: 'string', multiple: true, default: [DEFAULT_TENANT] },
      user: { type: 'string' },
      remove: { type: 'boolean', default: false },
    },
  });
  const { tenant: tenantIds, user: name, remove } = values;
  if (remove && name === undefined) throw new Error('--remove needs --user <username, email or id>.');
  await withDatabase(async (database) => {
    await requireTenants(database, tenantIds);
    const store = new TenantStore(database, DEFAULT_TENANT);
    if (name !== undefined) return changeRights(store, name, tenantIds, remove);
    const token = await createLink(store, tenantIds, Date.now());
    console.log(`Open this link within 24 hours to manage ${tenantIds.join(', ')}. It works once:`);
    console.log(linkUrl(readConfig().endpoint, token));
  });
}
