import type { Knex } from 'knex';

/**
 * The first line of an export. An export is lines of JSON: this one, then `[table, row]` with parents before children,
 * then `"end"`. Rows have the same form from both databases, and encrypted columns are decrypted.
 */
export interface Heading {
  format: typeof FORMAT;
  /** Migrations of the source database. The target must have the same. */
  migrations: string[];
  tenant: { id: string; name: string; isSuspended: boolean; settings: object; version: number; createdAt: number };
  endpoints: string[];
  /** The number of rows per table. */
  counts: Record<string, number>;
}

export const FORMAT = 1;
export const END = JSON.stringify('end');

/** Returns the names of the applied migrations in the order in which they were applied. */
export async function appliedMigrations(db: Knex): Promise<string[]> {
  const rows: { name: string }[] = await db('migrations').orderBy('id').select('name');
  return rows.map(({ name }) => name);
}

export const rowCount = ({ counts }: Heading): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
