import { type AuditEntry, auditRowOf, countAudits } from '../../audit/record.ts';
import { secondsOf } from '../../base/clock.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { type Spend as SpendRow, spendSubjectTokens } from './spend-subject-tokens.ts';

/** An exchange that is ready but for this; its audit row is made of it. */
export interface Spend extends Omit<SpendRow, 'audit'> {
  requestId: string | undefined;
  /** Name of the application's secret. */
  secretName: string | undefined;
}

interface Waiting {
  spend: Spend;
  resolve: (isSpent: boolean) => void;
  reject: (error: unknown) => void;
}

/** Rows of one transaction. */
const MAX_BATCH = 64;

/** A transaction begins when this part of the exchanges under way is ready for it, or when it has waited this long. */
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

/** @returns those that were done, of spends of different tokens */
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
 * Shares one transaction between the exchanges of a tenant that are ready at about the same time: a commit costs what it
 * costs, however many it is for. Alone, an exchange waits for nobody; beside others it waits for most of them, but
 * not for long. To begin with whoever is ready loses: the first of sixteen then has a commit to itself, and fifteen wait.
 */
export class SpendQueue {
  readonly #store: TenantStore;
  readonly #clock: () => number;
  #underWay = 0;
  #waiting: Waiting[] = [];
  #isSpending = false;
  /** Runs out when those that wait have waited enough. */
  #patience: NodeJS.Timeout | undefined;

  constructor(store: TenantStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Runs an exchange, for which others may wait. */
  async during<Result>(exchange: () => Promise<Result>): Promise<Result> {
    this.#underWay++;
    try {
      return await exchange();
    } finally {
      this.#underWay--;
      this.#gather();
    }
  }

  /** True when this caller's token was spent by this call. Rejects when nothing was written. */
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
    setImmediate(() => void this.#spendWaiting()); // With all that are ready in the same turn of the event loop.
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

  async #spendBatch(batch: readonly Waiting[]): Promise<void> {
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
      else for (const one of batch) await this.#spendBatch([one]);
    }
  }
}
