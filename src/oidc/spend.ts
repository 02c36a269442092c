import { type AuditEntry, recordAudits } from '../audit/record.ts';
import { secondsOf } from '../clock.ts';
import type { ImpersonationRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';

export interface Spend {
  impersonation: Omit<ImpersonationRow, 'tenantId' | 'revokedAt' | 'revokedBy'>;
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

/**
 * Spends subject tokens: of each, for one caller only, ever. The update matches tokens that are
 * unspent, unrevoked and unexpired and whose subject and actor are there and not suspended; a token it
 * did not match was not spent. The impersonations and their audit rows commit with it.
 *
 * The people are locked against change until the commit, so a suspension either comes first and is
 * seen here, or comes after and finds the impersonation to end.
 */
export async function spendAll(store: TenantStore, spends: readonly Spend[], now: number): Promise<Set<Spend>> {
  return store.transaction(async (store) => {
    const people = spends.flatMap(({ impersonation: { subjectId, actorId } }) =>
      actorId === null ? [subjectId] : [subjectId, actorId],
    );
    const users = await store
      .from('users')
      .whereIn('id', [...new Set(people)])
      .orderBy('id')
      .forShare()
      .select('id', 'isSuspended');
    const live = new Set(users.filter(({ isSuspended }) => !isSuspended).map(({ id }) => id));

    // Of two that hold the same token, the first to come is the one to try.
    const candidates = new Map<string, Spend>();
    for (const spend of spends) {
      const { subjectTokenId, subjectId, actorId } = spend.impersonation;
      const areLive = live.has(subjectId) && (actorId === null || live.has(actorId));
      if (areLive && !candidates.has(subjectTokenId)) candidates.set(subjectTokenId, spend);
    }
    const spentIds = await store.changedIds(
      'subjectTokens',
      (token) =>
        token
          .whereIn('id', [...candidates.keys()])
          .where({ spentAt: null, revokedAt: null })
          .where('expiresAt', '>', now),
      { spentAt: now },
    );

    const spent = spentIds.map((id) => candidates.get(id) as Spend);
    await store.add(
      'impersonations',
      spent.map(({ impersonation }) => impersonation),
    );
    await recordAudits(store, spent.map(auditOf));
    return new Set(spent);
  });
}

/**
 * Shares one transaction between the exchanges of a tenant that are ready at the same time: while one
 * commits, the next gather. Alone, an exchange waits for nobody.
 */
export class SpendQueue {
  readonly #store: TenantStore;
  readonly #clock: () => number;
  readonly #waiting: Waiting[] = [];
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
    while (this.#waiting.length > 0) await this.#spendNext(this.#waiting.splice(0, MAX_BATCH));
    this.#isSpending = false;
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
