import { type AuditEntry, auditRowOf, countAudits } from '../../audit/record.ts';
import { secondsOf } from '../../base/clock.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { type Add, WriteQueue } from '../../database/store/write-queue.ts';
import { type SpendRecord, spendSubjectTokens } from './spend-subject-tokens.ts';

/** A signed exchange whose subject token is still to be spent, with the facts for its audit row. */
export interface PendingSpend extends Omit<SpendRecord, 'audit'> {
  requestId: string | undefined;
  /** Name of the secret that the application authenticated with. */
  secretName: string | undefined;
}

/** Spends a subject token. Resolves with true if this call spent it. Rejects if nothing was written. */
export type Spend = Add<PendingSpend, boolean>;

function auditOf({ impersonation, requestId, secretName }: PendingSpend): AuditEntry {
  const { id, subjectTokenId, subjectId, actorId, applicationId, resource, organizationId, scope, context } =
    impersonation;
  return {
    key: 'Impersonation.Begin',
    result: 'Success',
    applicationId,
    userId: subjectId,
    actorId,
    ip: impersonation.ip,
    userAgent: impersonation.userAgent,
    requestId,
    payload: {
      impersonationId: id,
      subjectTokenId,
      resource,
      organizationId,
      scope,
      context,
      expiresAt: secondsOf(impersonation.expiresAt),
      secretName,
    },
    createdAt: impersonation.issuedAt,
  };
}

/** Runs spends of different tokens in one transaction. @returns which of them succeeded */
async function spendAll(store: TenantStore, spends: readonly PendingSpend[], now: number): Promise<boolean[]> {
  const audits = spends.map(auditOf);
  const rows = spends.map(({ tokenHash, actorApplicationId, impersonation }, index) => ({
    tokenHash,
    actorApplicationId,
    impersonation,
    audit: auditRowOf(audits[index] as AuditEntry),
  }));
  const ids = new Set(
    await store.write(['subjectTokens', 'impersonations', 'auditLog'], spendSubjectTokens(rows, now)),
  );
  const areSpent = spends.map(({ impersonation }) => ids.has(impersonation.subjectTokenId));
  countAudits(
    store,
    audits.filter((_, index) => areSpent[index]),
  );
  return areSpent;
}

/**
 * Spends subject tokens: those of the exchanges of a tenant that are ready at about the same time in one transaction. A
 * further spend of the same token waits for the next transaction, and fails there if the token is spent.
 */
export const spendQueue = (store: TenantStore, clock: () => number) =>
  new WriteQueue<PendingSpend, boolean>({
    write: (spends) => spendAll(store, spends, clock()),
    keyOf: ({ tokenHash }) => tokenHash,
  });
