import type { Knex } from 'knex';
import { ServiceError } from '../../errors.ts';
import { type ErrorClass, errorClassOf } from './error-class.ts';

const SOON = '1';
/** Until somebody has made room, or another server has taken over. */
const LATER = '10';

const ANSWERS: Partial<Record<ErrorClass, [message: string, retryAfter: string]>> = {
  busy: ['The database has more to do than it can.', SOON],
  connection: ['The database does not answer.', SOON],
  full: ['The disk of the database is full.', LATER],
  pool: ['The database has more to do than it can.', SOON],
  read_only: ['The database takes no changes now.', LATER],
  timeout: ['The database has more to do than it can.', SOON],
  undone: ['The database has more to do than it can.', SOON],
};

/** Others fail with the same codes: a mail server, a script's `fetch`. */
const ofDatabase = new WeakSet<object>();

/** Parts that PostgreSQL adds to an error: the key or the row that failed, and the parameters. */
interface Failure {
  detail?: string | undefined;
  where?: string | undefined;
}

/** Of `Key (tenant_id, name)=(default, secret) already exists.` the columns stay: `constraints.ts` reads them. */
const columnsIn = (detail = ''): string | undefined =>
  detail.startsWith('Key (') ? detail.slice(0, detail.indexOf(')=(') + 1) : undefined;

/** Marks what fails there: statements, whose values then reach no log, and connections that cannot be had. */
export function markFailures(db: Knex): Knex {
  const mark = (error: object) => void ofDatabase.add(error);
  db.on('query-error', (error: Failure) => {
    mark(error);
    error.detail = columnsIn(error.detail);
    error.where = undefined;
  });
  db.client.pool.on('acquireFail', (_id: number, error: object) => mark(error));
  return db;
}

/** 503 with the reason, when the database is not to be had or takes nothing; undefined for every other failure. */
export function unavailable(error: unknown): ServiceError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const errorClass = errorClassOf(error);
  // Knex makes this one anew of the pool's.
  const answer = ofDatabase.has(error) || errorClass === 'pool' ? ANSWERS[errorClass] : undefined;
  if (!answer) return undefined;
  const [message, retryAfter] = answer;
  const options = { message, data: { reason: `database_${errorClass}` }, headers: { 'Retry-After': retryAfter } };
  return new ServiceError('request.unavailable', options);
}
