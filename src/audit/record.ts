import { newOrderedId } from '../base/ids.ts';
import type { Database } from '../database/database.ts';
import { insertMany } from '../database/statements/insert-many.ts';
import type { Counts } from '../database/statistics/figures.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { AuditRow } from '../database/tables/index.ts';

/** Who did what, on whom, from where, why. Absent members are null. */
export type AuditEntry = Pick<AuditRow, 'key' | 'result' | 'payload' | 'createdAt'> & {
  /** When it may be forgotten; otherwise it is kept as long as the tenant. */
  expiresAt?: number | null | undefined;
  /** How many of its kind it stands for, when not for one. */
  times?: number | undefined;
  applicationId?: string | null | undefined;
  userId?: string | null | undefined;
  actorId?: string | null | undefined;
  ip?: string | null | undefined;
  userAgent?: string | null | undefined;
  requestId?: string | null | undefined;
};

/** In the caller's transaction: the change and its record commit together. */
export const recordAudit = (store: TenantStore, entry: AuditEntry): Promise<void> => recordAudits(store, [entry]);

/** What the overview counts is what is recorded here, so its numbers are those of the rows behind them. */
function countsOf({ key, result, times = 1 }: AuditEntry): Counts | undefined {
  if (result === 'Success') return SUCCESSES[key];
  if (key.startsWith('Management.')) return { requestsRefused: times };
  return key.startsWith('ExchangeTokenBy.') || key === 'Impersonation.Refused' ? { tokensRefused: times } : undefined;
}

const SUCCESSES: Record<string, Counts> = {
  'ExchangeTokenBy.AuthorizationCode': { tokensByCode: 1 },
  'ExchangeTokenBy.RefreshToken': { tokensByRefresh: 1 },
  'ExchangeTokenBy.ClientCredentials': { tokensByClient: 1 },
  'Impersonation.Begin': { impersonationsBegun: 1 },
  'Impersonation.End': { impersonationsEnded: 1 },
};

/** Names every column, so that rows of different making fit one statement. */
export const auditRowOf = ({
  key,
  result,
  payload,
  createdAt,
  expiresAt = null,
  ...who
}: AuditEntry): Omit<AuditRow, 'tenantId'> => ({
  id: newOrderedId(createdAt),
  key,
  result,
  payload,
  createdAt,
  expiresAt,
  applicationId: who.applicationId ?? null,
  userId: who.userId ?? null,
  actorId: who.actorId ?? null,
  ip: who.ip ?? null,
  userAgent: who.userAgent ?? null,
  requestId: who.requestId ?? null,
});

export async function recordAudits(store: TenantStore, entries: readonly AuditEntry[]): Promise<void> {
  await store.add('auditLog', entries.map(auditRowOf));
  countAudits(store, entries);
}

/** An entry that is not recorded through its tenant's store. */
export interface OwnedEntry {
  tenantId: string;
  entry: AuditEntry;
}

export type AuditDatabase = Pick<Database, 'kind' | 'write' | 'figures' | 'commits'>;

/** Entries of several tenants in one statement, each with its own tenant: what was done is over, and no request is served by this. */
export async function recordOwned(database: AuditDatabase, owned: readonly OwnedEntry[]): Promise<void> {
  const rows = owned.map(({ tenantId, entry }) => ({ ...auditRowOf(entry), tenantId }));
  await database.write((db) => insertMany(db, database.kind, 'auditLog', rows));
  for (const { tenantId, entry } of owned) {
    const counts = countsOf(entry);
    if (counts) database.figures.add(tenantId, entry.createdAt, counts);
  }
  for (const tenantId of new Set(owned.map(({ tenantId }) => tenantId)))
    database.commits.announce(tenantId, new Set(['auditLog']));
}

/** For entries that are written otherwise. */
export function countAudits(store: TenantStore, entries: readonly AuditEntry[]): void {
  for (const entry of entries) {
    const counts = countsOf(entry);
    if (counts) store.count(entry.createdAt, counts);
  }
}
