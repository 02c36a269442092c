import type { Config } from '../../src/config/index.ts';
import type { Database } from '../../src/database/database.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { isBehindPooler } from '../../src/database/open.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The oldest major version of PostgreSQL that is still maintained by its makers. */
const OLDEST_POSTGRES = 14;
/** Clocks further apart than this make tokens seem not yet valid, or over. */
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

/** Which migrations are missing here, and which this release does not know. */
export async function migrationFindings(database: Database): Promise<Finding[]> {
  if (!(await database.reader.schema.hasTable('migrations')))
    return [ok('database.migrations', 'the database is empty: the first start will fill it')];
  const applied: string[] = (await database.reader('migrations').select('name')).map(({ name }) => name);
  const known = migrations.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.includes(name));
  const pending = known.filter((name) => !applied.includes(name));
  if (unknown.length > 0)
    return [
      fault(
        'database.migrations',
        `The database was made by a newer release: it holds ${unknown.join(', ')}.`,
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

/** Settings under which what was acknowledged is lost by a crash, or text is not kept as it came. */
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
  const say = (is: boolean, finding: Finding) => is && findings.push(finding);
  say(
    version < OLDEST_POSTGRES,
    warning(
      'database.version',
      `PostgreSQL ${version} is no longer maintained.`,
      `Upgrade to ${OLDEST_POSTGRES} or later.`,
    ),
  );
  say(
    encoding !== 'UTF8',
    fault(
      'database.encoding',
      `The database is in ${encoding}: names of people will be refused or spoiled.`,
      'Make it anew: create database … encoding UTF8 template template0.',
    ),
  );
  const careless = Object.entries({ fsync, fullPageWrites, synchronousCommit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  say(
    careless.length > 0,
    fault(
      'database.durability',
      `${careless.join(', ')} off: a crash loses changes that were acknowledged, and may break the database.`,
      'Set them to on in postgresql.conf.',
    ),
  );
  say(
    readOnly === 'on',
    fault(
      'database.writable',
      'The database takes no writes: a standby, or default_transaction_read_only.',
      'Lead DATABASE_URL to the primary.',
    ),
  );
  say(
    !mayCreate,
    fault(
      'database.permissions',
      'This role may not make tables, which every upgrade does.',
      'grant create on schema public to this role, or make it the owner.',
    ),
  );
  say(
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
  const isNear = ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname) || searchParams.has('host');
  const { ssl } = await rowOf<{ ssl: boolean }>(database, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  if (!isNear && !ssl)
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
        `DATABASE_POOL_SIZE is ${databasePoolSize}, the server takes ${connections} connections in all.`,
        'Lower it, counting every process, or put a pooler between.',
      ),
    );
  if (!databaseDirectUrl && (await isBehindPooler(databaseUrl)))
    findings.push(
      warning(
        'database.pooler',
        'A pooler stands between: what other processes change is seen by polling, within seconds.',
        'Set DATABASE_DIRECT_URL to lead past it.',
      ),
    );
  const before = Date.now();
  const { now } = await rowOf<{ now: number }>(database, 'select extract(epoch from clock_timestamp()) * 1000 as now');
  const apart = Math.round(Math.abs(Number(now) - (before + Date.now()) / 2));
  findings.push(
    apart > CLOCK_TOLERANCE_MS
      ? fault(
          'clock',
          `This machine's clock and the database's are ${apart} ms apart.`,
          'Have both follow a time server (chrony, systemd-timesyncd).',
        )
      : ok('clock', `${apart} ms from the database's`),
  );
  return findings;
}

export async function sqliteFindings(database: Database): Promise<Finding[]> {
  const { version } = await rowOf<{ version: string }>(database, 'select sqlite_version() as version');
  const faults = (await database.reader.raw('pragma quick_check(5)')) as unknown as { quickCheck: string }[];
  const said = faults.map(({ quickCheck }) => quickCheck).join('; ');
  const { journalMode } = await rowOf<{ journalMode: string }>(database, 'pragma journal_mode');
  return [
    ok('database.version', `SQLite ${version}, journal ${journalMode}`),
    said === 'ok'
      ? ok('database.integrity', 'every page is readable')
      : fault('database.integrity', `SQLite finds the file broken: ${said}`, 'Stop the service and restore a backup.'),
  ];
}

/** What was written is not from the future. */
export async function historyFindings(database: Database): Promise<Finding[]> {
  const { latest } = (await database.reader('auditLog').max({ latest: 'createdAt' }).first()) as {
    latest: number | null;
  };
  const ahead = (latest ?? 0) - Date.now();
  if (ahead <= CLOCK_TOLERANCE_MS) return [];
  return [
    fault(
      'clock',
      `The newest audit entry is ${Math.round(ahead / 1000)} s from now: this clock is behind, or one was ahead.`,
      'Have every machine follow a time server; tokens issued meanwhile live as long as they say.',
    ),
  ];
}
