import { mkdirSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import { type DatabaseSettings, knexConfig } from './connect.ts';
import { markFailures } from './drivers/unavailable.ts';
import { migrationSource, migrations } from './migrations/index.ts';

/** Identifies our lock among PostgreSQL's advisory locks. The number is arbitrary. */
const ADVISORY_LOCK = 7_833_425;

export class NewerDatabaseError extends Error {
  constructor(unknown: string[]) {
    super(
      `The database was made by a newer release: it contains the migrations ${unknown.join(', ')}. Start that release, or restore a backup.`,
    );
    this.name = 'NewerDatabaseError';
  }
}

function migratorOf(settings: DatabaseSettings): Knex {
  if (!settings.databaseUrl) mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  return markFailures(knex({ ...knexConfig(settings), migrations: { migrationSource, tableName: 'migrations' } }));
}

async function refuseNewer(db: Knex): Promise<void> {
  if (!(await db.schema.hasTable('migrations'))) return;
  const known = new Set(migrations.map(({ name }) => name));
  const applied: { name: string }[] = await db('migrations').select('name');
  const unknown = applied.map(({ name }) => name).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
}

async function bringForward(db: Knex): Promise<string[]> {
  await refuseNewer(db);
  // The caller holds our own lock, so a row in Knex's lock table is a leftover of a killed process.
  if (await db.schema.hasTable('migrations_lock')) await db.migrate.forceFreeMigrationsLock();
  const [, applied] = await db.migrate.latest();
  return applied;
}

/**
 * Migrates the schema to this release. If two processes start at once on PostgreSQL, the second waits and finds nothing
 * to do. On SQLite the caller is the only server process.
 *
 * @returns the names of the migrations that were applied
 * @throws {NewerDatabaseError}
 */
export async function migrate(settings: DatabaseSettings): Promise<string[]> {
  const db = migratorOf(settings);
  try {
    if (!settings.databaseUrl) return await bringForward(db);
    return await db.transaction(async (lock) => {
      await lock.raw('select pg_advisory_xact_lock(?)', [ADVISORY_LOCK]);
      return bringForward(db);
    });
  } finally {
    await db.destroy();
  }
}

/** Rolls back all migrations, for `test/migrations.test.ts`. */
export async function rollbackAll(settings: DatabaseSettings): Promise<void> {
  const db = migratorOf(settings);
  try {
    await db.migrate.rollback(undefined, true);
  } finally {
    await db.destroy();
  }
}
