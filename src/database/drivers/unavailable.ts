import type { Knex } from 'knex';
import { ServiceError } from '../../errors.ts';
import { poolOf } from './knex-connections.ts';

/** The kind of a database error. Used as a metric label: never rename. */
type ErrorClass = 'busy' | 'connection' | 'constraint' | 'full' | 'pool' | 'read_only' | 'timeout' | 'undone' | 'other';

/** Maps SQLite codes, PostgreSQL's SQLSTATE codes and classes, and socket errors. The first match wins. */
const CLASSES: [RegExp, ErrorClass][] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [/^(SQLITE_CONSTRAINT|23)/, 'constraint'],
  [/^(SQLITE_FULL|53100)/, 'full'],
  [/^(SQLITE_READONLY|25006)/, 'read_only'],
  [/^(57014|55P03|25P0[34])/, 'timeout'],
  [/^40/, 'undone'],
  [/^(08|53300|57P|E[A-Z]+$)/, 'connection'],
];

export function errorClassOf(error: unknown): ErrorClass {
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (name === 'KnexTimeoutError') return 'pool';
  if (/timeout expired|Connection (terminated|ended)|not queryable/.test(message)) return 'connection'; // pg gives these no code.
  return CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? 'other';
}

const SOON = '1';
/** Retry-After in seconds while an operator makes room, or another server takes over. */
const LATER = '10';

const RESPONSES: Partial<Record<ErrorClass, [message: string, retryAfter: string]>> = {
  busy: ['The database is overloaded.', SOON],
  connection: ['The database is not responding.', SOON],
  full: ["The database's disk is full.", LATER],
  pool: ['The database is overloaded.', SOON],
  read_only: ['The database is read-only at the moment.', LATER],
  timeout: ['The database is overloaded.', SOON],
  undone: ['The database is overloaded.', SOON],
};

/** Errors of the database. Other services, such as a mail server or a script's `fetch`, fail with the same codes. */
const ofDatabase = new WeakSet<object>();

/** Fields of a PostgreSQL error that contain values: the key or row that failed, and the parameters. */
interface PostgresError {
  detail?: string | undefined;
  where?: string | undefined;
}

/** Keeps only the columns of `Key (tenant_id, name)=(default, secret) already exists.`, for `constraints.ts`. */
const columnsIn = (detail = ''): string | undefined =>
  detail.startsWith('Key (') ? detail.slice(0, detail.indexOf(')=(') + 1) : undefined;

/** Marks errors of statements and connections as the database's, and removes values so that none is logged. */
export function markFailures(db: Knex): Knex {
  const mark = (error: object) => void ofDatabase.add(error);
  db.on('query-error', (error: PostgresError) => {
    mark(error);
    error.detail = columnsIn(error.detail);
    error.where = undefined;
  });
  poolOf(db).on('acquireFail', (_id, error) => mark(error));
  return db;
}

/** Returns a 503 error if the database is unavailable or read-only; undefined for every other failure. */
export function unavailable(error: unknown): ServiceError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const errorClass = errorClassOf(error);
  // Knex creates a new error object for pool timeouts, so it is not marked.
  const response = ofDatabase.has(error) || errorClass === 'pool' ? RESPONSES[errorClass] : undefined;
  if (!response) return undefined;
  const [message, retryAfter] = response;
  const options = { message, data: { reason: `database_${errorClass}` }, headers: { 'Retry-After': retryAfter } };
  return new ServiceError('request.unavailable', options);
}
