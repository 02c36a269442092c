import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { Written } from '../notices/commits.ts';
import type { Table } from '../tables/index.ts';

/** Error codes for values that must be unique, by table and column. All others have the generic code. */
const uniqueErrors: Partial<Record<Table, Record<string, ErrorCode>>> = {
  users: {
    username: 'user.username_already_in_use',
    primary_email: 'user.email_already_in_use',
    primary_phone: 'user.phone_already_in_use',
  },
  userIdentities: { external_id: 'user.identity_already_in_use' },
  roles: { name: 'role.name_in_use' },
  roleScopes: { scope_id: 'role.scope_exists' },
  resources: { indicator: 'resource.resource_identifier_in_use' },
  resourceAliases: { indicator: 'resource.resource_identifier_in_use' },
  scopes: { name: 'scope.name_exists' },
  connectors: { target: 'connector.target_in_use' },
  applicationSecrets: { name: 'application.secret_name_exists' },
};

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
    const [, code] =
      Object.entries(uniqueErrors[table as Table] ?? {}).find(([column]) => found.columns.includes(column)) ?? [];
    return new ServiceError(code ?? 'entity.unique_integrity_violation');
  }
  if (found.kind === 'reference') {
    const status = table.startsWith('organization') ? 422 : 404;
    return new ServiceError('entity.relation_foreign_key_not_found', { status });
  }
  return new ServiceError('entity.db_constraint_violated');
}
