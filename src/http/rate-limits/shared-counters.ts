import type { Database } from '../../database/database.ts';

/** Points to add to the counter `key`, or its new value. The counter is deleted after `expiresAt`. */
export interface Counted {
  tenantId: string;
  key: string;
  points: number;
  expiresAt: number;
}

/** Adds to counters that all processes share, in one statement. @returns the new value of each counter */
export async function addToCounters(database: Database, counted: readonly Counted[]): Promise<Counted[]> {
  const rows = counted.map(({ tenantId, key, points, expiresAt }) => ({
    tenant_id: tenantId,
    key,
    points,
    expires_at: expiresAt,
  }));
  // Ordered, so that two processes lock the rows in the same order.
  const source =
    database.kind === 'postgres'
      ? 'select tenant_id, key, points, expires_at from json_populate_recordset(null::rate_limits, ?) order by 1, 2'
      : "select value ->> 'tenant_id', value ->> 'key', value ->> 'points', value ->> 'expires_at' from json_each(?) where true";
  return (await database.write((db) =>
    db.raw(
      `insert into rate_limits (tenant_id, key, points, expires_at) ${source}
       on conflict (tenant_id, key) do update set points = rate_limits.points + excluded.points
       returning tenant_id, key, points, expires_at`,
      [JSON.stringify(rows)],
    ),
  )) as unknown as Counted[];
}
