import { type AuditEntry, auditRowOf, countAudits } from '../audit/record.ts';
import { secondsOf } from '../clock.ts';
import { type Spend as SpendRow, spendSubjectTokens } from '../database/statements/spend-subject-tokens.ts';
import type { TenantStore } from '../database/tenant-store.ts';

/** An exchange that is ready but for this; its audit row is made of it. */
export interface Spend extends Omit<SpendRow, 'audit'> {
  requestId: string | undefined;
}

interface Waiting {
  spend: Spend;
  resolve: (isSpent: boolean) => void;
  reject: (error: unknown) => void;
}

/** Rows of one transaction. */
const MAX_BATCH = 64;

function auditOf({ impersonation, requestId }: Spend): AuditEntry {
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
    },
    createdAt: impersonation.issuedAt,
  };
}

/** @returns those that were done, of spends of different tokens */
async function spendAll(store: TenantStore, spends: readonly Spend[], now: number): Promise<Set<Spend>> {
  const audits = spends.map(auditOf);
  const rows = spends.map(({ tokenHash, impersonation }, index) => ({
    tokenHash,
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
 * Shares one transaction between the exchanges of a tenant that are ready at the same time: while one
 * commits, the next gather. Alone, an exchange waits for nobody.
 */
export class SpendQueue {
  readonly #store: TenantStore;
  readonly #clock: () => number;
  #waiting: Waiting[] = [];
  #isSpending = false;

  constructor(store: TenantStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /** True when this caller's token was spent by this call. Rejects when nothing was written. */
  spend(spend: Spend): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ spend, resolve, reject });
      if (!this.#isSpending) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isSpending = true;
    while (this.#waiting.length > 0) await this.#spendNext(this.#take());
    this.#isSpending = false;
  }

  /** Of those that hold the same token, one: whether there is still something to spend, the next batch sees. */
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

  async #spendNext(batch: readonly Waiting[]): Promise<void> {
    try {
      const spent = await spendAll(
        this.#store,
        batch.map(({ spend }) => spend),
        this.#clock(),
      );
      for (const { spend, resolve } of batch) resolve(spent.has(spend));
    } catch (error) {
      // One that cannot be written must not take the others with it.
      if (batch.length === 1) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#spendNext([one]);
    }
  }
}
