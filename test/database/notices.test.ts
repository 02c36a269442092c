import { afterEach, beforeEach, expect, it } from 'vitest';
import { Commits, type Written } from '../../src/database/notices/commits.ts';
import { Notices } from '../../src/database/notices/notices.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { createDatabase, type Database, execute } from '../support/databases.ts';

let database: Database;
const cleanups: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await createDatabase('postgres');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await database[Symbol.asyncDispose]();
});

/** Simulates a process: returns the commits it is notified of, and a function that announces a write. */
async function join() {
  const commits = new Commits();
  const received: [tenantId: string, tables: Written[]][] = [];
  commits.listen((tenantId, written) => received.push([tenantId, [...written].sort()]));
  const tables: Written[] = ['applications', 'scopes', 'tenants'];
  const logger = createLogger('silent');
  const notices = new Notices({ databaseUrl: database.url ?? '', commits, tables, logger });
  await notices.start();
  cleanups.push(() => notices.stop());
  return { received, write: (tenantId: string, ...tables: Written[]) => commits.announce(tenantId, new Set(tables)) };
}

it('notify other processes of writes in one notice, and the own process once', async () => {
  const [mine, other] = [await join(), await join()];
  mine.write('a', 'applications');
  mine.write('b', 'tenants', 'users');
  mine.write('a', 'scopes');
  mine.write('c', 'users'); // Writes to users are not announced.
  await expect.poll(() => other.received).toHaveLength(2);
  expect(other.received).toEqual([
    ['a', ['applications', 'scopes']],
    ['b', ['tenants']],
  ]);
  expect(mine.received).toHaveLength(4);
});

it('can contain more tenants than fit into one notice', async () => {
  const [mine, other] = [await join(), await join()];
  const tenants = Array.from({ length: 500 }, (_, n) => `tenant-with-a-long-name-${n}`);
  for (const tenant of tenants) mine.write(tenant, 'applications');
  await expect.poll(() => other.received).toHaveLength(500);
  expect(other.received.map(([tenant]) => tenant)).toEqual(tenants);
});

it('resume after a lost connection, including writes in the meantime', async () => {
  const [mine, other] = [await join(), await join()];
  await execute(
    database.url ?? '',
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'understudy notices' and datname = current_database()`,
  );
  // Both reconnect within a second, but not at the same time. Notices sent before the other listens again are lost.
  const again = async () => {
    mine.write('a', 'applications');
    return other.received.length;
  };
  await expect.poll(again).toBeGreaterThan(0);
});
