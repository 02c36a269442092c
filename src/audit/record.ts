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
export async function recordAudit(store: TenantStore, entry: AuditEntry): Promise<void> {
  await store.add('auditLog', [{ id: newId(), ...(entry as Partial<AuditRow>) }]);
}
