import { expect, it } from 'vitest';
import type { Database } from '../../src/database/connect.ts';
import { type Connections, Deliveries, type HookRoom, type Statements } from '../../src/webhooks/deliveries.ts';
import * as postgres from '../../src/webhooks/deliveries-postgres.ts';
import * as sqlite from '../../src/webhooks/deliveries-sqlite.ts';
import { park } from '../support/park.ts';
import { Stage } from './stage.ts';

const PARKED = 100_000;
const HOOKS = 10;
const DUE = 3;

type Db = Connections['reader'];

/** Hooks with three rows due each, and all the rows that are not. */
async function withParkedRows(stage: Stage): Promise<HookRoom[]> {
  const rooms: HookRoom[] = [];
  for (let count = 0; count < HOOKS; count += 1)
    rooms.push({ tenantId: 'default', hookId: await stage.hook('http://127.0.0.1:1'), room: 8 });
  await park(stage.database, 'default', PARKED, Date.now());
  await stage.announce(DUE);
  return rooms;
}

/** A database that explains each statement in place of answering it. */
function explaining(db: Db, explain: string, plans: unknown[]): Db {
  const raw = (sql: string, bindings: unknown[]) => {
    const answer = db.raw(`${explain} ${sql}`, bindings as never).then((rows) => {
      plans.push(...(rows as unknown as unknown[]));
      return [];
    });
    return Object.assign(answer, { options: () => answer });
  };
  return { raw } as unknown as Db;
}

async function plansOf(database: Database, explain: string, statements: Statements, rooms: HookRoom[]) {
  const plans: unknown[] = [];
  const claim = { owner: 'me', now: Date.now(), leaseUntil: Date.now() + 1000 };
  await database.byKey(async (db) => {
    const reader = explaining(db, explain, plans);
    const connections: Connections = { reader, byKey: (work) => work(reader) };
    await statements.dueHooks(connections, claim.now, undefined);
    await statements.claim(connections, rooms, claim);
  });
  return plans;
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

it('PostgreSQL reads no row that is not due to find those that are', async () => {
  await using stage = await Stage.open('postgres');
  const rooms = await withParkedRows(stage);
  const plans = await plansOf(stage.database, 'explain (analyze, format json)', postgres, rooms);
  const nodes = plans
    .flatMap((row) => (row as { 'QUERY PLAN': { Plan: Node }[] })['QUERY PLAN'])
    .flatMap(({ Plan }) => nodesOf(Plan))
    .filter((node) => node['Relation Name'] === 'deliveries' && node['Node Type'].includes('Scan'));
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  const read = nodes.map(
    (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
  );
  expect(read.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...read)).toBeLessThanOrEqual(HOOKS * DUE);
});

it('SQLite finds due rows through the index of what is due', async () => {
  await using stage = await Stage.open('sqlite');
  const rooms = await withParkedRows(stage);
  const plans = (await plansOf(stage.database, 'explain query plan', sqlite, rooms)) as { detail: string }[];
  const read = plans.map(({ detail }) => detail).filter((detail) => /deliveries/.test(detail));
  expect(read.length).toBeGreaterThan(HOOKS);
  for (const detail of read) expect(detail).toMatch(/deliveries_due|INTEGER PRIMARY KEY/);
  const deliveries = new Deliveries(stage.database, 'me');
  expect(await deliveries.claim(rooms, Date.now(), Date.now() + 1000)).toHaveLength(HOOKS * DUE);
});
