import { afterEach, beforeEach, expect, it } from 'vitest';
import { Commits, type Written } from '../../src/database/notices/commits.ts';
import { Notices } from '../../src/database/notices/notices.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { createDatabase, type Database, execute } from '../support/databases.ts';

let database: Database;
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await createDatabase('postgres');
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await database[Symbol.asyncDispose]();
});

/** What a process has: its commits, joined with those of the others, and all that is heard of in it. */
async function join() {
  const commits = new Commits();
  const heard: [tenantId: string, tables: Written[]][] = [];
  commits.listen((tenantId, written) => heard.push([tenantId, [...written].sort()]));
  const tables: Written[] = ['applications', 'scopes', 'tenants'];
  const logger = createLogger('silent');
  const notices = new Notices({ databaseUrl: database.url ?? '', commits, tables, logger });
  await notices.start();
  ends.push(() => notices.stop());
  return { heard, write: (tenantId: string, ...tables: Written[]) => commits.announce(tenantId, new Set(tables)) };
}

it('tell other processes what was written, together, and oneself once', async () => {
  const [mine, other] = [await join(), await join()];
  mine.write('a', 'applications');
  mine.write('b', 'tenants', 'users');
  mine.write('a', 'scopes');
  mine.write('c', 'users'); // Nobody keeps users.
  await expect.poll(() => other.heard).toHaveLength(2);
  expect(other.heard).toEqual([
    ['a', ['applications', 'scopes']],
    ['b', ['tenants']],
  ]);
  expect(mine.heard).toHaveLength(4);
});

it('tell of more tenants than one notice can name', async () => {
  const [mine, other] = [await join(), await join()];
  const tenants = Array.from({ length: 500 }, (_, n) => `tenant-with-a-long-name-${n}`);
  for (const tenant of tenants) mine.write(tenant, 'applications');
  await expect.poll(() => other.heard).toHaveLength(500);
  expect(other.heard.map(([tenant]) => tenant)).toEqual(tenants);
});

it('come back after the connection is lost, with what was written meanwhile', async () => {
  const [mine, other] = [await join(), await join()];
  await execute(
    database.url ?? '',
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'understudy notices' and datname = current_database()`,
  );
  // Each is away for a second, not the same one: what is told before the other listens again is lost.
  const again = async () => {
    mine.write('a', 'applications');
    return other.heard.length;
  };
  await expect.poll(again).toBeGreaterThan(0);
});
