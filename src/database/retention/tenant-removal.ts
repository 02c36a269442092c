import type { Database } from '../database.ts';
import { tenantTables } from '../tables/index.ts';
import { deleteBatch } from './delete-batch.ts';

const CHILDREN_FIRST = tenantTables.toReversed();

/**
 * Removes the rows of deleted tenants, which are those without an endpoint. Deletes children first and the tenant last,
 * so that an interrupted removal is found again and continues.
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
