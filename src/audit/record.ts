import { newOrderedId } from '../base/ids.ts';
import type { Database } from '../database/database.ts';
import { insertMany } from '../database/statements/insert-many.ts';
import type { Counts } from '../database/statistics/figures.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { AuditRow, NewRow } from '../database/tables/index.ts';

/** Action, result, actor, user, application, IP address and reason. Without `expiresAt` it is kept as long as the tenant. */
export type AuditEntry = Omit<NewRow<'auditLog'>, 'id'> & {
  /** Number of equal refusals that this entry counts; 1 by default. */
  count?: number | undefined;
};

/** Writes an entry in the caller's transaction, so that the change and its record commit together. */
export const recordAudit = (store: TenantStore, entry: AuditEntry): Promise<void> => recordAudits(store, [entry]);

/** Maps an entry to the overview's figures. Counting here keeps them equal to the rows of the audit log. */
function countsOf({ key, result, count = 1 }: AuditEntry): Counts | undefined {
  if (result === 'Success') return SUCCESSES[key];
  if (key.startsWith('Management.')) return { requestsRefused: count };
  return key.startsWith('ExchangeTokenBy.') || key === 'Impersonation.Refused' ? { tokensRefused: count } : undefined;
}

const SUCCESSES: Record<string, Counts> = {
  'ExchangeTokenBy.AuthorizationCode': { tokensByCode: 1 },
  'ExchangeTokenBy.RefreshToken': { tokensByRefresh: 1 },
  'ExchangeTokenBy.ClientCredentials': { tokensByClient: 1 },
  'Impersonation.Begin': { impersonationsBegun: 1 },
  'Impersonation.End': { impersonationsEnded: 1 },
};

/** Returns a row with every column set, so that rows of different actions fit one statement. */
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

/** An entry with its tenant, for writes that do not go through the tenant's store. */
export interface OwnedEntry {
  tenantId: string;
  entry: AuditEntry;
}

export type AuditDatabase = Pick<Database, 'kind' | 'write' | 'figures' | 'commits'>;

/**
 * Writes entries of several tenants in one statement. It bypasses the tenant stores, which is safe because every row
 * names its tenant and the statement only inserts.
 */
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

/** Counts entries that another statement has written. */
export function countAudits(store: TenantStore, entries: readonly AuditEntry[]): void {
  for (const entry of entries) {
    const counts = countsOf(entry);
    if (counts) store.count(entry.createdAt, counts);
  }
}
