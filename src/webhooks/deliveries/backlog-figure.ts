import type { Database } from '../../database/database.ts';

/**
 * Records for each tenant how many deliveries are waiting or in flight. Reads only the partial index of those. Several
 * processes may record the same, because the maximum is stored.
 */
export async function recordBacklog(database: Database, now: number): Promise<void> {
  const waiting: { tenantId: string; count: number }[] = await database
    .reader('deliveries')
    .whereNotNull('dueAt')
    .groupBy('tenantId')
    .select('tenantId')
    .count({ count: '*' });
  for (const { tenantId, count } of waiting) database.figures.add(tenantId, now, { backlog: count });
}
