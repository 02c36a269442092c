import { expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { claim, type HookRoom } from '../../src/webhooks/deliveries/claim.ts';
import { Deliveries } from '../../src/webhooks/deliveries/deliveries.ts';
import { dueHooks } from '../../src/webhooks/deliveries/due.ts';
import { park } from '../support/park.ts';
import { type PlanNode, planNodes } from '../support/plans.ts';
import { PollerHarness } from './poller-harness.ts';

const PARKED = 100_000;
const HOOKS = 10;
const DUE = 3;

type Db = Database['reader'];

/** Creates webhooks with three due rows each, and many rows that are not due. */
async function withParkedRows(harness: PollerHarness): Promise<HookRoom[]> {
  const rooms: HookRoom[] = [];
  for (let count = 0; count < HOOKS; count += 1)
    rooms.push({ tenantId: 'default', hookId: await harness.hook('http://127.0.0.1:1'), room: 8 });
  await park(harness.database, 'default', PARKED, Date.now());
  await harness.announce(DUE);
  return rooms;
}

/** Returns a database that explains each statement instead of running it. */
function explaining(db: Db, explain: string, plans: unknown[]): Db {
  const raw = async (sql: string, bindings: unknown[]) => {
    plans.push(...((await db.raw(`${explain} ${sql}`, bindings as never)) as unknown[]));
    return [];
  };
  return { raw, userParams: {} } as unknown as Db;
}

async function plansOf({ kind, byKey }: Database, explain: string, rooms: HookRoom[]) {
  const plans: unknown[] = [];
  const lease = { owner: 'me', now: Date.now(), leaseUntil: Date.now() + 1000 };
  await byKey(async (db) => {
    const reader = explaining(db, explain, plans);
    const connections: Pick<Database, 'reader' | 'byKey'> = { reader, byKey: (work) => work(reader) };
    await dueHooks[kind](connections, lease.now, undefined);
    await claim[kind](connections, rooms, lease);
  });
  return plans;
}

it('finds due rows on PostgreSQL without reading rows that are not due', async () => {
  await using harness = await PollerHarness.open('postgres');
  const rooms = await withParkedRows(harness);
  const plans = await plansOf(harness.database, 'explain (analyze, format json)', rooms);
  const isRead = (node: PlanNode) => node['Relation Name'] === 'deliveries' && node['Node Type'].includes('Scan');
  const nodes = planNodes(plans).filter(isRead);
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  const conditions = nodes.flatMap((node) => node['Index Cond'] ?? []);
  expect(conditions).toContainEqual(expect.stringMatching(/ROW\(.*tenant_id.*hook_id.*\) > ROW\(/));
  expect(conditions).toContainEqual(expect.stringMatching(/tenant_id.* = .*hook_id.* = .*due_at <= /));
  const read = nodes.map(
    (node) => ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0),
  );
  expect(read.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...read)).toBeLessThanOrEqual(HOOKS * DUE);
});

/** All plan steps that read the table, with the index columns they use. */
const SQLITE_STEPS = [
  'USING INDEX deliveries_due (tenant_id>?)', // Reads only the first row, of the next tenant.
  'USING INDEX deliveries_due (tenant_id=? AND hook_id>?)',
  'USING INDEX deliveries_due (tenant_id=? AND hook_id=? AND due_at<?)',
  'USING INTEGER PRIMARY KEY (rowid=?)',
];

it('finds due rows on SQLite by every index column that can bound them', async () => {
  await using harness = await PollerHarness.open('sqlite');
  const rooms = await withParkedRows(harness);
  const plans = (await plansOf(harness.database, 'explain query plan', rooms)) as { detail: string }[];
  const read = plans.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) (deliveries|next)/.test(detail));
  const ways = new Set(read.map((detail) => detail.replace(/^SEARCH \w+ /, '')));
  expect([...ways].sort()).toEqual(SQLITE_STEPS.toSorted());
  const deliveries = new Deliveries(harness.database, 'me');
  expect(await deliveries.claim(rooms, Date.now(), Date.now() + 1000)).toHaveLength(HOOKS * DUE);
});
