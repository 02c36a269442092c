import type { Knex } from 'knex';
import type { Database } from '../database.ts';
import { BATCH, deleteBatch } from './delete-batch.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

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

/** Deletes expired rows of all tenants, in small batches. */
export async function sweepExpired(database: Database, now: number): Promise<void> {
  for (const { table, column, keptMs } of expired) {
    const isDue = (rows: Knex.QueryBuilder) => rows.where(column, '<', now - keptMs);
    while ((await deleteBatch(database, table, isDue)) === BATCH);
  }
}
