import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import { linkUrl, makeLink, manage } from '../src/console/administrators.ts';
import type { Database } from '../src/database/connect.ts';
import { TenantStore } from '../src/database/tenant-store.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { withDatabase } from './support/running-service.ts';

export const summary =
  'a one-time link that makes an administrator, or rights for one: [--tenant <id>]… [--user <username, e-mail or id>]';

async function requireTenants(database: Database, ids: readonly string[]): Promise<void> {
  const rows: { id: string }[] = await database.reader('tenants').whereIn('id', ids).select('id');
  const missing = ids.filter((id) => !rows.some((row) => row.id === id));
  if (missing.length > 0) throw new Error(`There is no tenant ${missing.join(', ')}.`);
}

async function findUser(store: TenantStore, name: string): Promise<{ id: string }> {
  for (const key of [{ id: name }, { username: name }, { primaryEmail: name }]) {
    const user = await store.find('users', key);
    if (user) return user;
  }
  throw new Error(`Tenant ${DEFAULT_TENANT} has no user ${name}.`);
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { tenant: { type: 'string', multiple: true, default: [DEFAULT_TENANT] }, user: { type: 'string' } },
  });
  const { tenant: tenantIds, user: name } = values;
  await withDatabase(async (database) => {
    await requireTenants(database, tenantIds);
    const store = new TenantStore(database, DEFAULT_TENANT);
    if (name !== undefined) {
      const { id } = await findUser(store, name);
      await manage(store, id, tenantIds, { by: 'command', now: Date.now() });
      console.log(`${name} (${id}) may manage ${tenantIds.join(', ')}.`);
      return;
    }
    const token = await makeLink(store, tenantIds, Date.now());
    console.log(`Works once, for a day, and lets whoever follows it manage ${tenantIds.join(', ')}:`);
    console.log(linkUrl(readConfig().endpoint, token));
  });
}
