import type { Knex } from 'knex';

/**
 * An export is lines of JSON: this one first, then `[table, row]` with parents before children, then `"end"`. Rows are
 * as the code sees them, whichever database they are from, and what a secret key had sealed in them is open.
 */
export interface Heading {
  format: typeof FORMAT;
  /** Of the database it is from: the one that takes it must have the same. */
  migrations: string[];
  tenant: { id: string; name: string; isSuspended: boolean; settings: object; version: number; createdAt: number };
  endpoints: string[];
  /** How many rows of each table follow. */
  counts: Record<string, number>;
}

export const FORMAT = 1;
export const END = JSON.stringify('end');

/** In the order in which they were applied. */
export async function appliedMigrations(db: Knex): Promise<string[]> {
  const rows: { name: string }[] = await db('migrations').orderBy('id').select('name');
  return rows.map(({ name }) => name);
}

export const rowCount = ({ counts }: Heading): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
