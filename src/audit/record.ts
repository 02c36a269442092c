import type { AuditRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { newId } from '../ids.ts';

/** Who did what, on whom, from where, why. Absent members are null. */
export type AuditEntry = Pick<AuditRow, 'key' | 'result' | 'payload' | 'createdAt'> & {
  applicationId?: string | null | undefined;
  userId?: string | null | undefined;
  actorId?: string | null | undefined;
  ip?: string | null | undefined;
  userAgent?: string | null | undefined;
  requestId?: string | null | undefined;
};

/** In the caller's transaction: the change and its record commit together. */
export const recordAudit = (store: TenantStore, entry: AuditEntry): Promise<void> => recordAudits(store, [entry]);

/** Every entry names every column, so that rows of different making fit one statement. */
export async function recordAudits(store: TenantStore, entries: readonly AuditEntry[]): Promise<void> {
  await store.add(
    'auditLog',
    entries.map(({ key, result, payload, createdAt, ...who }) => ({
      id: newId(),
      key,
      result,
      payload,
      createdAt,
      applicationId: who.applicationId ?? null,
      userId: who.userId ?? null,
      actorId: who.actorId ?? null,
      ip: who.ip ?? null,
      userAgent: who.userAgent ?? null,
      requestId: who.requestId ?? null,
    })),
  );
}
