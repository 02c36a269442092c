import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { sweepExpired } from '../../src/database/retention.ts';
import { FigureWriter, WIDTHS } from '../../src/database/statistics/figure-writer.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import type { Row } from '../../src/database/tables/index.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { createMigrated, databases, type Database as TestDatabase } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const logger = createLogger('silent');

describe.each(databases)('figures on %s', (kind) => {
  let files: TestDatabase;
  let database: Database;
  const open = () => connect({ databaseUrl: files.url, dataDir: files.dataDir, poolSize: 2 });
  const stored = (width: keyof typeof WIDTHS, tenantId = 'acme'): Promise<Row<'figures'>[]> =>
    database.reader('figures').where({ widthMs: WIDTHS[width].widthMs, tenantId }).orderBy('startsAt');
  const writer = (of = database) => new FigureWriter(of, logger);

  beforeEach(async () => {
    files = await createMigrated(kind);
    database = open();
    await addTenant(database, 'acme');
  });
  afterEach(async () => {
    await database.close();
    await files[Symbol.asyncDispose]();
  });

  it('are summed by minute and by hour, and keep the maximum of the backlog', async () => {
    const figures = writer();
    for (const [at, backlog] of [
      [NOON, 5],
      [NOON + 59_999, 9],
      [NOON + MINUTE_MS, 3],
    ] as const)
      database.figures.add('acme', at, { scriptRuns: 1, scriptMicros: 250, backlog });
    await figures.flush();
    database.figures.add('acme', NOON + MINUTE_MS, { scriptRuns: 1, backlog: 2 });
    await figures.close();

    expect(await stored('minute')).toMatchObject([
      { startsAt: NOON, scriptRuns: 2, scriptMicros: 500, backlog: 9, tokensRefused: 0 },
      { startsAt: NOON + MINUTE_MS, scriptRuns: 2, scriptMicros: 250, backlog: 3 },
    ]);
    expect(await stored('hour')).toMatchObject([{ startsAt: NOON, scriptRuns: 4, scriptMicros: 750, backlog: 9 }]);
  });

  it('include counts of a transaction only once it has committed', async () => {
    const figures = writer();
    const store = new TenantStore(database, 'acme');
    await expect(
      store.transaction(async (store) => {
        store.count(NOON, { impersonationsEnded: 1 });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await store.transaction(async (store) => {
      store.count(NOON, { impersonationsEnded: 2 });
      await figures.flush(); // Not committed yet.
    });
    expect(await stored('minute')).toEqual([]);
    await figures.close();
    expect(await stored('minute')).toMatchObject([{ impersonationsEnded: 2 }]);
  });

  it('are written later if the database was unavailable', async () => {
    const figures = writer();
    database.figures.add('acme', NOON, { tokensByCode: 2 });
    await database.write((db) => db.schema.renameTable('figures', 'gone'));
    await figures.flush();
    await database.write((db) => db.schema.renameTable('gone', 'figures'));
    database.figures.add('acme', NOON, { tokensByCode: 1 });
    await figures.close();
    expect(await stored('minute')).toMatchObject([{ tokensByCode: 3 }]);
  });

  it('of a removed tenant do not prevent writing those of others', async () => {
    const figures = writer();
    database.figures.add('removed', NOON, { tokensByCode: 1 });
    database.figures.add('acme', NOON, { tokensByCode: 1 });
    await figures.close();
    expect(await stored('minute', 'removed')).toEqual([]);
    expect(await stored('minute')).toMatchObject([{ tokensByCode: 1 }]);
  });

  it('are deleted when no longer shown: minutes after two days, hours after fifteen days', async () => {
    const figures = writer();
    database.figures.add('acme', NOON, { tokensByCode: 1 });
    await figures.close();
    const days = (count: number) => NOON + count * 24 * 60 * MINUTE_MS;
    await sweepExpired(database, days(2));
    expect(await stored('minute')).toHaveLength(1);
    await sweepExpired(database, days(3));
    expect([await stored('minute'), await stored('hour')]).toEqual([[], [expect.anything()]]);
    await sweepExpired(database, days(15));
    expect(await stored('hour')).toHaveLength(1);
    await sweepExpired(database, days(16));
    expect(await stored('hour')).toEqual([]);
  });
});

it('keeps the figures of two processes that write concurrently on PostgreSQL', async () => {
  await using files = await createMigrated('postgres');
  const settings = { databaseUrl: files.url, dataDir: files.dataDir, poolSize: 4 };
  const processes = [connect(settings), connect(settings)];
  const [first] = processes as [Database];
  const tenants = Array.from({ length: 20 }, (_, index) => `tenant-${index}`);
  for (const id of tenants) await addTenant(first, id);
  const rounds = 15;
  await Promise.all(
    processes.map(async (database, process) => {
      const figures = new FigureWriter(database, logger);
      for (let round = 0; round < rounds; round += 1) {
        for (const id of process === 0 ? tenants : tenants.toReversed())
          database.figures.add(id, NOON, { deliveriesDelivered: 1 });
        await figures.flush();
      }
      await figures.close();
    }),
  );
  const [sum] = await first.reader('figures').where({ widthMs: MINUTE_MS }).sum({ delivered: 'deliveriesDelivered' });
  expect(Number(sum?.delivered)).toBe(2 * rounds * tenants.length);
  await Promise.all(processes.map((database) => database.close()));
});
