import { type AuditEntry, auditRowOf, countAudits } from '../../audit/record.ts';
import { secondsOf } from '../../base/clock.ts';
import { StateMachine } from '../../base/state.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { type SpendRecord, spendSubjectTokens } from './spend-subject-tokens.ts';

/** A signed exchange whose subject token is still to be spent, with the facts for its audit row. */
export interface PendingSpend extends Omit<SpendRecord, 'audit'> {
  requestId: string | undefined;
  /** Name of the secret that the application authenticated with. */
  secretName: string | undefined;
}

interface WaitingSpend {
  spend: PendingSpend;
  resolve: (isSpent: boolean) => void;
  reject: (error: unknown) => void;
}

/** Spends a subject token. Resolves with true if this call spent it. Rejects if nothing was written. */
export type Spend = (spend: PendingSpend) => Promise<boolean>;

/** Most spends in one transaction. */
const MAX_BATCH = 64;

/** A batch starts when this fraction of the exchanges in progress is ready, or after `GATHER_MS` milliseconds. */
const READY_FRACTION = 0.7;
const GATHER_MS = 1;

/**
 * - `idle`: no spend is waiting.
 * - `gathering`: spends are waiting, and the timer runs for more exchanges to become ready.
 * - `starting`: the next batch starts at the end of this turn of the event loop. Spends that arrive until then join it.
 * - `spending`: a transaction is in progress. New spends wait for the next batch.
 */
export type SpendQueueState = 'idle' | 'gathering' | 'starting' | 'spending';

export const SPEND_QUEUE_TRANSITIONS: Readonly<Record<SpendQueueState, readonly SpendQueueState[]>> = {
  idle: ['gathering', 'starting'],
  gathering: ['starting', 'spending'],
  starting: ['spending'],
  spending: ['idle'],
};

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

/** Runs spends of different tokens in one transaction. @returns those that succeeded */
async function spendAll(store: TenantStore, spends: readonly PendingSpend[], now: number): Promise<Set<PendingSpend>> {
  const audited = spends.map((spend) => ({ spend, audit: auditOf(spend) }));
  const rows = audited.map(({ spend: { tokenHash, actorApplicationId, impersonation }, audit }) => ({
    tokenHash,
    actorApplicationId,
    impersonation,
    audit: auditRowOf(audit),
  }));
  const ids = new Set(
    await store.write(['subjectTokens', 'impersonations', 'auditLog'], spendSubjectTokens(rows, now)),
  );
  const spent = audited.filter(({ spend }) => ids.has(spend.impersonation.subjectTokenId));
  countAudits(
    store,
    spent.map(({ audit }) => audit),
  );
  return new Set(spent.map(({ spend }) => spend));
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
  readonly #state = new StateMachine<SpendQueueState>('spend queue', SPEND_QUEUE_TRANSITIONS, 'idle');
  #exchangesInProgress = 0;
  #waiting: WaitingSpend[] = [];
  /** Runs in state `gathering` only. */
  #gatherTimer: NodeJS.Timeout | undefined;

  constructor(store: TenantStore, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  get state(): SpendQueueState {
    return this.#state.current;
  }

  /** Runs an exchange, which spends its subject token when it is ready. Others may wait for it to become ready. */
  async run<Result>(exchange: (spend: Spend) => Promise<Result>): Promise<Result> {
    this.#exchangesInProgress++;
    try {
      return await exchange(this.#spend);
    } finally {
      this.#exchangesInProgress--;
      this.#gather();
    }
  }

  readonly #spend: Spend = (spend) =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ spend, resolve, reject });
      this.#gather();
    });

  /** Called whenever a spend arrives, an exchange ends or a batch is done. */
  #gather(): void {
    if (this.#waiting.length === 0 || this.#state.is('starting', 'spending')) return;
    if (this.#waiting.length < this.#exchangesInProgress * READY_FRACTION) {
      if (this.#state.is('gathering')) return;
      this.#state.enter('gathering');
      this.#gatherTimer = setTimeout(() => void this.#spendWaiting(), GATHER_MS);
      return;
    }
    clearTimeout(this.#gatherTimer);
    this.#state.enter('starting');
    setImmediate(() => void this.#spendWaiting());
  }

  async #spendWaiting(): Promise<void> {
    this.#state.enter('spending');
    await this.#spendBatch(this.#takeBatch());
    this.#state.enter('idle');
    this.#gather();
  }

  /** At most one spend per token in a batch. The others wait for the next batch and fail there if the token is spent. */
  #takeBatch(): WaitingSpend[] {
    const batch = new Map<string, WaitingSpend>();
    const rest: WaitingSpend[] = [];
    for (const waiting of this.#waiting) {
      const { tokenHash } = waiting.spend;
      if (batch.size < MAX_BATCH && !batch.has(tokenHash)) batch.set(tokenHash, waiting);
      else rest.push(waiting);
    }
    this.#waiting = rest;
    return [...batch.values()];
  }

  async #spendBatch(batch: readonly WaitingSpend[]): Promise<void> {
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
