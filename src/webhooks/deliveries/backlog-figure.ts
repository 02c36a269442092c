import type { Database } from '../../database/database.ts';

/**
 * Notes for each tenant how many deliveries have not ended: they wait for an attempt, or are under way. Reads nothing
 * but the partial index of those; that other processes note the same does no harm, since the most that was seen counts.
 */
export async function noteBacklog(database: Database, now: number): Promise<void> {
  const waiting: { tenantId: string; count: number }[] = await database
    .reader('deliveries')
    .whereNotNull('dueAt')
    .groupBy('tenantId')
    .select('tenantId')
    .count({ count: '*' });
  for (const { tenantId, count } of waiting) database.figures.add(tenantId, now, { backlog: count });
}
