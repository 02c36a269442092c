import { type AuditEntry, auditRowOf, countAudits } from '../../audit/record.ts';
import { secondsOf } from '../../base/clock.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { type Spend as SpendRow, spendSubjectTokens } from './spend-subject-tokens.ts';

/** A signed exchange whose subject token is still to be spent, with the facts for its audit row. */
export interface Spend extends Omit<SpendRow, 'audit'> {
  requestId: string | undefined;
  /** Name of the secret that the application authenticated with. */
  secretName: string | undefined;
}

interface Waiting {
  spend: Spend;
  resolve: (isSpent: boolean) => void;
  reject: (error: unknown) => void;
}

/** Most spends in one transaction. */
const MAX_BATCH = 64;

/** A transaction begins when this fraction of the exchanges in progress is ready, or after `GATHER_MS` milliseconds. */
const GATHERED = 0.7;
const GATHER_MS = 1;

function auditOf({ impersonation, requestId, secretName }: Spend): AuditEntry {
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

/** Runs spends of different tokens in one transaction. @returns those that succeeded */
async function spendAll(store: TenantStore, spends: readonly Spend[], now: number): Promise<Set<Spend>> {
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
  const isSpent = ({ impersonation }: Spend) => ids.has(impersonation.subjectTokenId);
  countAudits(
    store,
    audits.filter((_, index) => isSpent(spends[index] as Spend)),
  );
  return new Set(spends.filter(isSpent));
}

/**
 * Spends subject tokens in batches: the exchanges of a tenant that are ready at about the same time share one
 * transaction, since a commit costs the same for one as for many. A single exchange does not wait. With others in
 * progress it waits until most of them are ready, for at most `GATHER_MS`. Rejected: committing as soon as one is
 * ready. With 16 callers the first committed alone and 15 waited.
 */
export class SpendQueue {
  readonly #store: TenantStore;
  readonly #clock: () => number;
  #underWay = 0;
  #waiting: Waiting[] = [];
  #isSpending = false;
  /** Ends the wait for further exchanges. */
  #patience: NodeJS.Timeout | undefined;

  constructor(store: TenantStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Runs an exchange. Others may wait for it to become ready. */
  async during<Result>(exchange: () => Promise<Result>): Promise<Result> {
    this.#underWay++;
    try {
      return await exchange();
    } finally {
      this.#underWay--;
      this.#gather();
    }
  }

  /** Spends a subject token. Resolves with true if this call spent it. Rejects if nothing was written. */
  spend(spend: Spend): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ spend, resolve, reject });
      this.#gather();
    });
  }

  #gather(): void {
    if (this.#isSpending || this.#waiting.length === 0) return;
    if (this.#waiting.length < this.#underWay * GATHERED) {
      this.#patience ??= setTimeout(() => void this.#spendWaiting(), GATHER_MS);
      return;
    }
    this.#endPatience();
    this.#isSpending = true;
    setImmediate(() => void this.#spendWaiting()); // Includes all that become ready in this turn of the event loop.
  }

  #endPatience(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  async #spendWaiting(): Promise<void> {
    this.#endPatience();
    this.#isSpending = true;
    await this.#spendBatch(this.#take());
    this.#isSpending = false;
    this.#gather();
  }

  /**
   * Takes the next batch: at most one spend per token. The others wait for the next batch, and fail there if the token is
   * spent.
   */
  #take(): Waiting[] {
    const batch = new Map<string, Waiting>();
    const rest: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { tokenHash } = waiting.spend;
      if (batch.size < MAX_BATCH && !batch.has(tokenHash)) batch.set(tokenHash, waiting);
      else rest.push(waiting);
    }
    this.#waiting = rest;
    return [...batch.values()];
  }

  async #spendBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const spent = await spendAll(
        this.#store,
        batch.map(({ spend }) => spend),
        this.#clock(),
      );
      for (const { spend, resolve } of batch) resolve(spent.has(spend));
    } catch (error) {
      // Try each alone, so that one bad row does not fail the others.
      if (batch.length === 1) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#spendBatch([one]);
    }
  }
}
