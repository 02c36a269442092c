import { ServiceError } from '../../errors.ts';
import { snakeCase } from '../drivers/names.ts';
import type { Written } from '../notices/commits.ts';
import { type Table, tables } from '../tables/index.ts';
import type { Column } from '../tables/table.ts';

/** The error for a row to change that does not exist. */
export const notExists = (table: Table) =>
  new ServiceError(table === 'users' ? 'entity.not_found' : 'entity.not_exists');

interface DriverError {
  code?: string;
  message?: string;
  detail?: string;
}

type Violation = { kind: 'unique' | 'reference' | 'other'; columns: string };

/** Detects a constraint violation: PostgreSQL reports an SQLSTATE of class 23, SQLite only a message. */
function violation({ code, message = '', detail = '' }: DriverError): Violation | undefined {
  if (code === '23505') return { kind: 'unique', columns: detail };
  if (code === '23503') return { kind: 'reference', columns: '' };
  if (code?.startsWith('23')) return { kind: 'other', columns: '' };
  if (code !== 'SQLITE_CONSTRAINT') return undefined;
  if (message.includes('UNIQUE constraint failed'))
    return { kind: 'unique', columns: message.split('UNIQUE constraint failed')[1] ?? '' };
  if (message.includes('FOREIGN KEY constraint failed')) return { kind: 'reference', columns: '' };
  return { kind: 'other', columns: '' };
}

/** Converts a constraint violation to the error for the caller. Returns undefined for other errors. */
export function constraintError(table: Written, error: unknown): ServiceError | undefined {
  const found = violation(error as DriverError);
  if (!found) return undefined;
  if (found.kind === 'unique') {
    const columns = table === 'tenants' ? {} : tables[table].columns;
    const isMeant = ([name, { taken }]: [string, Column]) => taken && found.columns.includes(snakeCase(name));
    const [, column] = Object.entries(columns).find(isMeant) ?? [];
    return new ServiceError(column?.taken ?? 'entity.unique_integrity_violation');
  }
  if (found.kind === 'reference') {
    const status = table.startsWith('organization') ? 422 : 404;
    return new ServiceError('entity.relation_foreign_key_not_found', { status });
  }
  return new ServiceError('entity.db_constraint_violated');
}
