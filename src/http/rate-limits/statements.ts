import type { Database } from '../../database/database.ts';
import { insertFromRecords, recordsOf } from '../../database/statements/insert-many.ts';
import { prepared } from '../../database/statements/prepared.ts';
import type { Statement } from '../../database/statements/statement.ts';
import type { Row } from '../../database/tables/index.ts';

export type CounterRow = Row<'rateLimits'>;

const COLUMNS = ['tenantId', 'key', 'points', 'expiresAt'] as const satisfies (keyof CounterRow)[];

/** Ordered, so that two processes lock the rows in the same order. */
const ADD = `${insertFromRecords('postgres', 'rateLimits', COLUMNS)} order by tenant_id, key
  on conflict (tenant_id, key) do update set points = rate_limits.points + excluded.points
  returning key, points`;

/** Adds to counters of several tenants in one statement, on PostgreSQL. @returns the new points of each key */
export function addPoints(database: Database, rows: CounterRow[]): Promise<Pick<CounterRow, 'key' | 'points'>[]> {
  return database.write((db) => prepared(db, ADD, [recordsOf('postgres', COLUMNS, rows)]));
}

/** Finds no row to return if the counter is still in force and has all its points. */
const TAKE = `insert into rate_limits (tenant_id, key, points, expires_at) values (?, ?, 1, ?)
  on conflict (tenant_id, key) do update set
    points = case when rate_limits.expires_at <= ? then 1 else rate_limits.points + 1 end,
    expires_at = case when rate_limits.expires_at <= ? then excluded.expires_at else rate_limits.expires_at end
  where rate_limits.expires_at <= ? or rate_limits.points < ?
  returning key`;

/** Takes a point, of a new counter if the old one has expired. @returns false if `max` points are taken */
export const takePoint =
  (key: string, max: number, durationMs: number, now: number): Statement<boolean> =>
  async ({ prepared, tenantId }) =>
    (await prepared(TAKE, [tenantId, key, now + durationMs, now, now, now, max])).length > 0;
