import type { Database } from '../database.ts';
import { tenantTables } from '../tables/tenant-tables.ts';
import { deleteBatch } from './delete-batch.ts';

const CHILDREN_FIRST = tenantTables.toReversed();

/**
 * Removes the rows of the tenants that were deleted: those without an endpoint. Children go first and the tenant
 * last, so a removal that was cut short is found again, and goes on where it stood.
 */
export async function removeDeletedTenants(database: Database): Promise<void> {
  const { reader } = database;
  const deleted: { id: string }[] = await reader('tenants')
    .whereNotIn('id', reader('tenantEndpoints').select('tenantId'))
    .select('id');
  for (const { id } of deleted) {
    for (const table of CHILDREN_FIRST) {
      const rest = () => reader(table).where({ tenantId: id }).first('tenantId');
      while (await rest()) await deleteBatch(database, table, (rows) => rows.where({ tenantId: id }));
    }
    await database.write((db) => db('tenants').where({ id }).delete());
  }
}
