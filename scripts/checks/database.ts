import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/database.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { isBehindPooler } from '../../src/database/open.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The oldest major version of PostgreSQL that its project still maintains. */
const OLDEST_POSTGRES = 14;
/** With a larger difference between clocks, tokens seem not yet valid or already expired. */
const CLOCK_TOLERANCE_MS = 5_000;

async function rowOf<T>(database: Database, sql: string): Promise<T> {
  const [row] = (await database.reader.raw(sql)) as unknown as T[];
  return row as T;
}

interface Settings {
  version: number;
  encoding: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  readOnly: string;
  mayCreate: boolean;
  isSuperuser: boolean;
}

/** Reports migrations that are not applied yet, and applied ones that this release does not know. */
export async function migrationFindings(database: Database): Promise<Finding[]> {
  if (!(await database.reader.schema.hasTable('migrations')))
    return [ok('database.migrations', 'the database is empty: the first start will create its tables')];
  const applied: string[] = (await database.reader('migrations').select('name')).map(({ name }) => name);
  const known = migrations.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.includes(name));
  const pending = known.filter((name) => !applied.includes(name));
  if (unknown.length > 0)
    return [
      fault(
        'database.migrations',
        `A newer release has migrated this database: ${unknown.join(', ')}.`,
        'Start that release, or restore the backup from before the upgrade.',
      ),
    ];
  if (pending.length === 0) return [ok('database.migrations', `all ${known.length} applied`)];
  return [
    warning(
      'database.migrations',
      `${pending.join(', ')} not yet applied.`,
      'Back up; then start this release, or run npm run cli -- migrate.',
    ),
  ];
}

/** Reports settings with which a crash loses acknowledged changes, or text is not stored as it was sent. */
async function postgresSettings(database: Database): Promise<Finding[]> {
  const settings = await rowOf<Settings>(
    database,
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
      current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit, current_setting('transaction_read_only') as read_only,
      has_schema_privilege(current_schema(), 'CREATE') as may_create,
      (select rolsuper from pg_roles where rolname = current_user) as is_superuser`,
  );
  const { version, encoding, fsync, fullPageWrites, synchronousCommit, readOnly, mayCreate, isSuperuser } = settings;
  const findings: Finding[] = [ok('database.version', `PostgreSQL ${version}`)];
  const addIf = (is: boolean, finding: Finding) => is && findings.push(finding);
  addIf(
    version < OLDEST_POSTGRES,
    warning(
      'database.version',
      `PostgreSQL ${version} is no longer maintained.`,
      `Upgrade to ${OLDEST_POSTGRES} or later.`,
    ),
  );
  addIf(
    encoding !== 'UTF8',
    fault(
      'database.encoding',
      `The encoding of the database is ${encoding}: many names cannot be stored, or are corrupted.`,
      'Create it again: create database … encoding UTF8 template template0.',
    ),
  );
  const unsafe = Object.entries({ fsync, fullPageWrites, synchronousCommit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  addIf(
    unsafe.length > 0,
    fault(
      'database.durability',
      `${unsafe.join(', ')} off: a crash loses acknowledged changes and may corrupt the database.`,
      'Set them to on in postgresql.conf.',
    ),
  );
  addIf(
    readOnly === 'on',
    fault(
      'database.writable',
      'The database is read-only: it is a standby, or default_transaction_read_only is on.',
      'Point DATABASE_URL to the primary.',
    ),
  );
  addIf(
    !mayCreate,
    fault(
      'database.permissions',
      'This role cannot create tables, which upgrades do.',
      'grant create on schema public to this role, or make it the owner.',
    ),
  );
  addIf(
    isSuperuser,
    warning(
      'database.permissions',
      'This role is a superuser.',
      'Give the service a role that owns its database and nothing else.',
    ),
  );
  return findings;
}

export async function postgresFindings(config: Config, database: Database): Promise<Finding[]> {
  const { databaseUrl = '', databaseDirectUrl, databasePoolSize } = config;
  const findings = await postgresSettings(database);
  const { hostname, searchParams } = new URL(databaseUrl);
  const isLocal = ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname) || searchParams.has('host');
  const { ssl } = await rowOf<{ ssl: boolean }>(database, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  if (!isLocal && !ssl)
    findings.push(
      warning(
        'database.tls',
        'The connection to the database is not encrypted.',
        'Add sslmode=verify-full to DATABASE_URL, unless the network is private.',
      ),
    );
  const { connections } = await rowOf<{ connections: number }>(
    database,
    "select current_setting('max_connections')::int as connections",
  );
  if (databasePoolSize + 2 > connections)
    findings.push(
      warning(
        'database.connections',
        `DATABASE_POOL_SIZE is ${databasePoolSize}, but the server allows only ${connections} connections in total.`,
        'Lower it (the sum over all processes counts), or use a connection pooler.',
      ),
    );
  if (!databaseDirectUrl && (await isBehindPooler(databaseUrl)))
    findings.push(
      warning(
        'database.pooler',
        'There is a connection pooler: changes by other processes are seen by polling, within seconds.',
        'Set DATABASE_DIRECT_URL to a direct connection.',
      ),
    );
  const before = Date.now();
  const { now } = await rowOf<{ now: number }>(database, 'select extract(epoch from clock_timestamp()) * 1000 as now');
  const differenceMs = Math.round(Math.abs(Number(now) - (before + Date.now()) / 2));
  findings.push(
    differenceMs > CLOCK_TOLERANCE_MS
      ? fault(
          'clock',
          `The clocks of this host and the database differ by ${differenceMs} ms.`,
          'Synchronize both with a time server (chrony, systemd-timesyncd).',
        )
      : ok('clock', `differs from the database's by ${differenceMs} ms`),
  );
  return findings;
}

export async function sqliteFindings(database: Database): Promise<Finding[]> {
  const { version } = await rowOf<{ version: string }>(database, 'select sqlite_version() as version');
  const faults = (await database.reader.raw('pragma quick_check(5)')) as unknown as { quickCheck: string }[];
  const problems = faults.map(({ quickCheck }) => quickCheck).join('; ');
  const { journalMode } = await rowOf<{ journalMode: string }>(database, 'pragma journal_mode');
  return [
    ok('database.version', `SQLite ${version}, journal ${journalMode}`),
    problems === 'ok'
      ? ok('database.integrity', 'every page is readable')
      : fault(
          'database.integrity',
          `The database file is corrupt: ${problems}`,
          'Stop the service and restore a backup.',
        ),
  ];
}

/** Reports audit entries that are dated in the future. */
export async function historyFindings(database: Database): Promise<Finding[]> {
  const { latest } = (await database.reader('auditLog').max({ latest: 'createdAt' }).first()) as {
    latest: number | null;
  };
  const aheadMs = (latest ?? 0) - Date.now();
  if (aheadMs <= CLOCK_TOLERANCE_MS) return [];
  return [
    fault(
      'clock',
      `The newest audit entry is ${Math.round(aheadMs / 1000)} s in the future: this clock is slow, or another was fast.`,
      'Synchronize every host with a time server. Tokens issued with a wrong clock stay valid until their exp.',
    ),
  ];
}
