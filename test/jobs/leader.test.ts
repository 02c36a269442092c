import { expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { Leader } from '../../src/jobs/leader.ts';
import { startJobs } from '../../src/jobs/scheduler.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { createMigrated } from '../support/databases.ts';
import { ServiceProcess } from '../support/service-process.ts';

const logger = createLogger('silent');
/** Timeout for a takeover: a lease, a renewal, and a margin for other load on the machine. */
const TAKEN_OVER_MS = 20_000;

async function prepare(kind: 'sqlite' | 'postgres') {
  const files = await createMigrated(kind);
  const settings = { databaseUrl: files.url, dataDir: files.dataDir, poolSize: 2 };
  return { files, open: () => connect(settings) };
}

it('is always the only process on SQLite', async () => {
  const { files, open } = await prepare('sqlite');
  await using _ = files;
  const database = open();
  const leader = new Leader(database, logger);
  await leader.start();
  expect(leader.isLeading).toBe(true);
  await leader.stop();
  await database.close();
});

it('is one of several processes, releases the lease when it stops, and is replaced when it disappears', async () => {
  const { files, open } = await prepare('postgres');
  await using _ = files;
  const [one, other] = [open(), open()];
  const [first, second] = [new Leader(one, logger), new Leader(other, logger)];
  await Promise.all([first.start(), second.start()]);
  const leading = () => [first.isLeading, second.isLeading].filter(Boolean).length;
  expect(leading()).toBe(1);

  const [leader, next] = first.isLeading ? [first, second] : [second, first];
  await leader.stop();
  expect(leader.isLeading).toBe(false);
  await expect.poll(() => next.isLeading, { timeout: TAKEN_OVER_MS }).toBe(true);

  // A leader steps down when it cannot renew its lease. Another process replaces it, even if the lease ends far in the
  // future, because a clock was set back.
  const [nextDatabase, otherDatabase] = next === first ? [one, other] : [other, one];
  await nextDatabase.close();
  await otherDatabase.write((db) => db('leases').update({ expiresAt: Date.now() + 3_600_000 }));
  await expect.poll(() => next.isLeading, { timeout: TAKEN_OVER_MS }).toBe(false);
  const third = new Leader(otherDatabase, logger);
  await third.start();
  expect(third.isLeading).toBe(true);
  await Promise.all([next.stop(), third.stop()]);
  await otherDatabase.close();
});

it('is the only process that runs jobs', async () => {
  const done: string[] = [];
  const jobOf = (name: string) => [{ name, at: '* * * * * *', run: async () => void done.push(name) }];
  const leading = startJobs(jobOf('leader'), { isLeading: true }, logger);
  const following = startJobs(jobOf('follower'), { isLeading: false }, logger);
  await expect.poll(() => done.length).toBeGreaterThan(1);
  await Promise.all([leading.stop(), following.stop()]);
  expect(new Set(done)).toEqual(new Set(['leader']));
});

it('is replaced by another process within seconds when it is killed', async () => {
  await using database = await createMigrated('postgres');
  const [first, second] = [await ServiceProcess.on(database), await ServiceProcess.on(database)];
  try {
    await first.start();
    await second.start();
    expect([await first.isLeading(), await second.isLeading()]).toEqual([true, false]);
    await first.kill();
    await expect.poll(() => second.isLeading(), { timeout: TAKEN_OVER_MS }).toBe(true);
  } finally {
    await Promise.all([first.kill(), second.kill()]);
  }
});
