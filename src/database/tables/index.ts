import { accessTables } from './access.ts';
import { consoleTables } from './console.ts';
import { organizationTables } from './organizations.ts';
import { recordTables } from './records.ts';
import { scriptTables } from './scripts.ts';
import { signInTables } from './sign-in.ts';
import type { ColumnsOf, NewRowOf, RowOf, TableDefinition } from './table.ts';
import { tokenTables } from './tokens.ts';
import { userTables } from './users.ts';
import { webhookTables } from './webhooks.ts';

export type { TokenType } from './scripts.ts';

/** All tables whose rows belong to a tenant, parents before children. */
const definitions = {
  ...userTables,
  ...accessTables,
  ...organizationTables,
  ...recordTables,
  ...signInTables,
  ...tokenTables,
  ...webhookTables,
  ...scriptTables,
  ...consoleTables,
};

type Definitions = typeof definitions;
export type Table = keyof Definitions;
export type Tables = { [T in Table]: RowOf<Definitions[T]> };
export type Row<T extends Table> = Tables[T];
export type NewRow<T extends Table> = NewRowOf<Definitions[T]>;
export type ColumnOf<T extends Table> = ColumnsOf<Definitions[T]>;
export type PrimaryKey<T extends Table> = Pick<Row<T>, ColumnsOf<Definitions[T], 'key'>>;
export type WithoutKey<T extends Table> = Omit<NewRow<T>, keyof PrimaryKey<T>>;
/** Values of the columns `C` that select rows; `null` matches null. An empty key is one of a table with one row per tenant. */
export type Key<T extends Table, C extends ColumnOf<T>> = [C] extends [never] ? PrimaryKey<T> : Pick<Row<T>, C>;
/** The columns to change. Undefined leaves a column as it is. */
export type Patch<T extends Table> = { [C in ColumnOf<T>]?: Row<T>[C] | undefined };

export type ApplicationRow = Row<'applications'>;
export type ApplicationSecretRow = Row<'applicationSecrets'>;
export type AttemptRow = Row<'attempts'>;
export type AuditRow = Row<'auditLog'>;
export type ClearingRow = Row<'clearings'>;
export type ConnectorRow = Row<'connectors'>;
export type DeliveryRow = Row<'deliveries'>;
export type HookRow = Row<'hooks'>;
export type ImpersonationRow = Row<'impersonations'>;
export type OidcPayloadRow = Row<'oidcPayloads'>;
export type ReplayRow = Row<'replays'>;
export type ResourceRow = Row<'resources'>;
export type RoleRow = Row<'roles'>;
export type ScopeRow = Row<'scopes'>;
export type ScriptRunRow = Row<'scriptRuns'>;
export type ScriptVersionRow = Row<'scriptVersions'>;
export type SigningKeyRow = Row<'signingKeys'>;
export type SubjectTokenRow = Row<'subjectTokens'>;
export type UserFactorRow = Row<'userFactors'>;
export type UserIdentityRow = Row<'userIdentities'>;
export type UserRow = Row<'users'>;

export const tables: Readonly<Record<Table, TableDefinition>> = definitions;
export const tenantTables = Object.keys(tables) as Table[];
export const configurationTables = tenantTables.filter((table) => tables[table].isConfiguration);

/** Names of the columns of this kind. Rows are converted by name alone, so a name has the same kind in every table. */
const columnsOf = (kind: string): ReadonlySet<string> =>
  new Set(
    tenantTables.flatMap((table) => {
      const { columns } = tables[table];
      return Object.keys(columns).filter((name) => columns[name]?.kind === kind);
    }),
  );

/** SQLite returns JSON as text and booleans as 0 and 1. */
export const jsonColumns = columnsOf('json');
export const booleanColumns = columnsOf('flag');
/** The primary key of a table, besides the tenant. Empty if a tenant has one row. */
export const keyOf = (table: Table): string[] =>
  Object.entries(tables[table].columns).flatMap(([name, { role }]) => (role === 'key' ? [name] : []));

/** The primary key in a row. */
export const keyIn = (table: Table, row: object) =>
  Object.fromEntries(keyOf(table).map((column) => [column, (row as Record<string, unknown>)[column]]));

/** The values of a new row that has none. A required column is undefined. */
export const initialRow = (table: Table) =>
  Object.fromEntries(Object.entries(tables[table].columns).map(([name, { initial }]) => [name, initial]));
