import type { Knex } from 'knex';
import { DAY_MS } from '../base/times.ts';
import type { Database } from './database.ts';
import { tenantTables } from './tables/index.ts';

/** Rows per delete. A larger batch would block SQLite's single writer for too long. */
const BATCH_ROWS = 1_000;

/** How long an expired subject token is kept, to look up who created it and why an exchange was refused. */
const SUBJECT_TOKENS_KEPT_MS = 30 * DAY_MS;
const RUNS_KEPT_MS = 30 * DAY_MS;

const expired: { table: string; column: string; keptMs: number }[] = [
  { table: 'oidcPayloads', column: 'expiresAt', keptMs: 0 },
  { table: 'issuedJwts', column: 'expiresAt', keptMs: 0 },
  { table: 'revokedTokens', column: 'expiresAt', keptMs: 0 },
  { table: 'auditLog', column: 'expiresAt', keptMs: 0 },
  { table: 'signInProgress', column: 'expiresAt', keptMs: 0 },
  { table: 'verificationCodes', column: 'expiresAt', keptMs: 0 },
  { table: 'consoleSessions', column: 'expiresAt', keptMs: 0 },
  { table: 'administratorLinks', column: 'expiresAt', keptMs: 0 },
  { table: 'rateLimits', column: 'expiresAt', keptMs: 0 },
  { table: 'figures', column: 'expiresAt', keptMs: 0 },
  { table: 'subjectTokens', column: 'expiresAt', keptMs: SUBJECT_TOKENS_KEPT_MS },
  { table: 'scriptRuns', column: 'createdAt', keptMs: RUNS_KEPT_MS },
];

/** Deletes the matching rows of all tenants, 1,000 at a time, each batch in a transaction of its own. */
export async function deleteInBatches(
  database: Database,
  table: string,
  matching: (rows: Knex.QueryBuilder) => void,
): Promise<void> {
  const id = database.kind === 'sqlite' ? 'rowid' : 'ctid';
  const deleteBatch = (): Promise<number> =>
    database.write((db) => {
      const due = db(table).where(matching).limit(BATCH_ROWS).select(db.raw(id));
      return db(table)
        .whereIn(db.raw(id) as never, due)
        .delete();
    });
  while ((await deleteBatch()) === BATCH_ROWS);
}

/** Deletes expired rows of all tenants. */
export async function sweepExpired(database: Database, now: number): Promise<void> {
  for (const { table, column, keptMs } of expired)
    await deleteInBatches(database, table, (rows) => rows.where(column, '<', now - keptMs));
}

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
    for (const table of tenantTables.toReversed()) {
      const rest = () => reader(table).where({ tenantId: id }).first('tenantId');
      while (await rest()) await deleteInBatches(database, table, (rows) => rows.where({ tenantId: id }));
    }
    await database.write((db) => db('tenants').where({ id }).delete());
  }
}
