import { parseArgs } from 'node:util';
import { readConfig } from '../src/config/index.ts';
import {
  addAdministrator,
  createLink,
  findUser,
  linkUrl,
  removeAdministrator,
} from '../src/console/session/administrators.ts';
import type { Database } from '../src/database/database.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { withDatabase } from './support/running-service.ts';

export const summary = 'Make a one-time link that makes an administrator, or change the rights of a user.';
export const usage = `[--tenant <id>]… [--user <username, e-mail or id> [--remove]]

  --tenant <id>   a tenant to manage; default unless given
  --user <name>   gives this user of the tenant default the right, instead of making a link
  --remove        takes the right away from that user`;

async function requireTenants(database: Database, ids: readonly string[]): Promise<void> {
  const rows: { id: string }[] = await database.reader('tenants').whereIn('id', ids).select('id');
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) throw new Error(`There is no tenant ${missing.join(', ')}.`);
}

/** Gives rights to a person, or takes them away: all that were named, or none. */
async function changeRights(store: TenantStore, name: string, tenantIds: string[], isRemoving: boolean): Promise<void> {
  const user = await findUser(store, name);
  if (!user) throw new Error(`Tenant ${DEFAULT_TENANT} has no user ${name}.`);
  const means = { by: 'command', now: Date.now() } as const;
  if (isRemoving) {
    await store.transaction(async (store) => {
      for (const tenantId of tenantIds) await removeAdministrator(store, user.id, tenantId, means);
    });
  } else await addAdministrator(store, user.id, tenantIds, means);
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
  if (remove && name === undefined) throw new Error('Say whose rights to remove: --user <username, e-mail or id>.');
  await withDatabase(async (database) => {
    await requireTenants(database, tenantIds);
    const store = new TenantStore(database, DEFAULT_TENANT);
    if (name !== undefined) return changeRights(store, name, tenantIds, remove);
    const token = await createLink(store, tenantIds, Date.now());
    console.log(`Works once, for a day, and lets whoever follows it manage ${tenantIds.join(', ')}:`);
    console.log(linkUrl(readConfig().endpoint, token));
  });
}
