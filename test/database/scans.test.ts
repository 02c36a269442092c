import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { acquire, release } from '../../src/database/drivers/knex-connections.ts';
import { migrate } from '../../src/database/migrate.ts';
import { removeDeletedTenants, sweepExpired } from '../../src/database/retention.ts';
import { operations } from '../../src/management/index.ts';
import { recordBacklog } from '../../src/webhooks/deliveries/backlog.ts';
import { clearDeliveries } from '../../src/webhooks/deliveries/clearing.ts';
import { sweepWebhooks } from '../../src/webhooks/deliveries/retention.ts';
import { castOf } from '../support/cast.ts';
import { createDatabase, type DatabaseKind, databases } from '../support/databases.ts';
import { fill, GROWING } from '../support/fill.ts';
import { requestOf } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage } from '../support/stage.ts';
import { startService } from '../support/start-service.ts';
import { planNodes, type Sent, StatementRecorder, sqlitePlan, triggeredStatements } from '../support/statements.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';

const ROWS = 20_000;

/**
 * Statements that may read many rows of a tenant, and why. All of them run outside a transaction. None is sent by a
 * token request, by a write or by the poller.
 */
const WALKS: Record<string, RegExp> = {
  'a page of a list, read along an index until the page is full': /order by .* limit (\?|\$\d+)/,
  'the length of a list, which the API returns': /^select count\(\*\) as .total/,
  'the number of events that a replay would send': /^select count\(\*\) as .count. .* .occurred_at. between/,
  'the counts of the overview, up to a thousand': /as running\) as running/,
  'the number of open deliveries per tenant, once a minute': /due_at. is not null group by/,
};

const isWalk = (sql: string): boolean => Object.values(WALKS).some((walk) => walk.test(sql));

/**
 * Records the statements of every operation, failing webhook attempts, a sign-in, an exchange, the reuse of a spent
 * token, and all scheduled jobs.
 */
async function statementsOfUse(kind: DatabaseKind): Promise<{ sent: Sent[]; procedures: string[] }> {
  const recorder = new StatementRecorder(kind);
  const stage = await buildStage(kind);
  for (const { route } of operations) {
    const request = requestOf(route, samples[route]?.(stage.world) ?? {});
    await recorder.during(route, () => stage.api.call(...request));
    if (!route.startsWith('GET')) await stage.restore();
  }
  const { database } = stage;
  const later = Date.now() + 60 * DAY_MS;
  for (const job of [sweepExpired, sweepWebhooks, clearDeliveries, recordBacklog, removeDeletedTenants])
    await recorder.during(job.name, async () => job(database, later));
  await stage.close();

  await using service = await startService(kind, { WEBHOOK_RETRY_SCHEDULE: '0,0,0,0' });
  await using receiver = await WebhookReceiver.start({ behaviour: status(503) });
  const { spa, alice, bob, mint } = castOf(service);
  await service.api.must('POST /hooks', {
    name: 'failing',
    events: ['User.Data.Updated'],
    config: { url: receiver.url },
  });
  await recorder.during('failing attempts', async () => {
    await service.api.must(`PATCH /users/${bob.id}`, { name: 'Casey' });
    await receiver.reach(3); // The first two are settled.
  });
  await recorder.during('sign-in and exchange', async () => {
    const exchange = { subject_token: await mint(), actor_token: await spa.signIn(alice) };
    expect((await spa.exchange(exchange)).status).toBe(200);
    await service.api.must('PATCH /configs/impersonation', { endOnReplay: true });
    expect((await spa.exchange(exchange)).status).toBe(400);
  });
  return { sent: recorder.stop(), procedures: recorder.procedures };
}

/** Returns the names of growing tables in a statement, including aliases, because its plan uses those. */
function growingNames(sql: string): Set<string> {
  const names = new Set(GROWING);
  for (const [, table = '', alias = ''] of sql.matchAll(/\b(\w+)[`"]? (?:as )?[`"]?(\w+)/g))
    if (GROWING.includes(table)) names.add(alias);
  return names;
}

/** Returns steps that read all rows of a table or tenant. A list may read a covering index. */
async function scansOnSqlite(database: Database, sql: string): Promise<string[]> {
  const names = growingNames(sql);
  const isPage = /order by .* limit \?/.test(sql) && !/ like /.test(sql);
  if (isWalk(sql) && !isPage) return [];
  return (await sqlitePlan(database, sql)).filter((step) => {
    const [, name = ''] = /^\w+ (\w+)/.exec(step) ?? [];
    const isScan = step.startsWith('SCAN') || /\(tenant_id=\?\)$/.test(step);
    return names.has(name) && isScan && !(isPage && step.includes('USING COVERING INDEX'));
  });
}

/** Returns nodes that read a whole table, in the plan for the values the statement was sent with. */
async function scansOnPostgres(database: Database, { sql, bindings }: Sent): Promise<string[]> {
  if (isWalk(sql)) return [];
  const connection = (await acquire(database.reader)) as Client;
  try {
    const { rows } = await connection.query(`explain (format json) ${sql}`, [...bindings]);
    return planNodes(rows)
      .filter((node) => node['Node Type'] === 'Seq Scan' && GROWING.includes(node['Relation Name'] ?? ''))
      .map((node) => `Seq Scan on ${node['Relation Name']}`);
  } finally {
    release(database.reader, connection, { isBroken: false });
  }
}

async function withFullDatabase<T>(kind: DatabaseKind, work: (database: Database) => Promise<T>): Promise<T> {
  await using shared = await createDatabase(kind);
  await using service = await startService(kind, {}, shared);
  await service.stop();
  const database = connect({ databaseUrl: shared.url, dataDir: shared.dataDir, poolSize: 2 });
  try {
    await fill(database, ROWS);
    return await work(database);
  } finally {
    await database.close();
  }
}

describe.each(databases)('no request, commit or job on %s', (kind) => {
  it('reads all rows of a table that grows', async () => {
    const { sent, procedures } = await statementsOfUse(kind);
    expect(sent.length).toBeGreaterThan(200);
    const found = await withFullDatabase(kind, async (database) => {
      const found: unknown[] = [];
      const all = kind === 'sqlite' ? [...sent, ...(await triggeredStatements(database, procedures))] : sent;
      for (const one of all) {
        const scans = await (kind === 'sqlite' ? scansOnSqlite(database, one.sql) : scansOnPostgres(database, one));
        if (scans.length > 0) found.push({ by: one.by, scans, sql: one.sql });
      }
      return found;
    });
    expect(found).toEqual([]);
  });
});

it('has an index for every foreign key, so that deletions do not scan a table for children', async () => {
  await using place = await createDatabase('sqlite');
  const settings = { databaseUrl: undefined, dataDir: place.dataDir, poolSize: 1 };
  await migrate(settings);
  const database = connect(settings);
  const ask = (sql: string): Promise<{ name: string; id: number; from: string }[]> => database.reader.raw(sql);
  const missing: string[] = [];
  for (const { name } of await ask(`select name from sqlite_master where type = 'table'`)) {
    const keys = new Map<number, string[]>();
    for (const { id, from } of await ask(`pragma foreign_key_list(${name})`))
      keys.set(id, [...(keys.get(id) ?? []), from]);
    const indexes: string[][] = [];
    for (const index of await ask(`pragma index_list(${name})`))
      indexes.push((await ask(`pragma index_info(${index.name})`)).map((column) => column.name));
    for (const columns of keys.values())
      if (!indexes.some((index) => columns.every((column) => index.slice(0, columns.length).includes(column))))
        missing.push(`${name} (${columns})`);
  }
  await database.close();
  expect(missing).toEqual(['active_scripts (tenant_id,token_type,number)']); // Has only two rows per tenant.
});
