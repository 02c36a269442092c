import { networkOf } from '../../base/address.ts';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Query = Parameters<Parameters<TenantStore['changeWhere']>[1]>[0];

/** How many `points` in one stretch of time; then nothing until it is over. */
const rules = {
  /**
   * Tries at one account, also one that does not exist: of a browser that signed in to it before, or of a network of
   * strangers. A success clears them.
   */
  account: { points: 10, durationMs: 15 * MINUTE_MS },
  /** Failed tries of all strangers together at one account. Browsers that signed in to it before are not locked out. */
  strangers: { points: 100, durationMs: HOUR_MS },
  /** Failed tries from one address, at whichever account: many people may share it. */
  address: { points: 100, durationMs: 15 * MINUTE_MS },
  /** Codes of a second factor of one user. A success clears them. */
  factor: { points: 10, durationMs: 15 * MINUTE_MS },
  /** Codes to one e-mail address or phone, and the pause between two. */
  codeDestination: { points: 5, durationMs: HOUR_MS },
  codePause: { points: 1, durationMs: MINUTE_MS },
  codeAddress: { points: 30, durationMs: HOUR_MS },
  /** New passwords from one address, for new accounts and in resets. */
  newPassword: { points: 60, durationMs: HOUR_MS },
  /** Usernames that one user tries on the account page. */
  username: { points: 30, durationMs: HOUR_MS },
  /** New accounts from one address. */
  registration: { points: 30, durationMs: HOUR_MS },
  /** Messages about one kind of change of one user: another kind is still told, so many of one cannot hide it. */
  notice: { points: 5, durationMs: HOUR_MS },
} as const;
type Rule = keyof typeof rules;
/** A rule, and whom it counts. */
export type Counted = readonly [rule: Rule, name: string | undefined];

/** Their names are addresses. */
const BY_ADDRESS: ReadonlySet<Rule> = new Set(['address', 'codeAddress', 'newPassword', 'registration']);

/**
 * The limits of sign-in, counted in the tenant's own table, so that all processes count together. A
 * point is taken before the work, so that parallel tries count like others.
 *
 * The loser: rate-limiter-flexible. Its SQLite store begins transactions of its own on a connection
 * that here belongs to `CommitGroup`, and its base class for other stores is not exported.
 */
export class Limits {
  readonly #clock: Clock;
  readonly #onLimited: ((rule: Rule) => void) | undefined;

  /** @param onLimited told which rule refused */
  constructor(clock: Clock, onLimited?: (rule: Rule) => void) {
    this.#clock = clock;
    this.#onLimited = onLimited;
  }

  /** @throws 429 `request.rate_limited` with `Retry-After` */
  async take(store: TenantStore, rule: Rule, name: string | undefined): Promise<void> {
    const { points, durationMs } = rules[rule];
    const now = this.#clock();
    const key = keyOf(rule, name);
    const expiresAt = await store.transaction(async (store) => {
      await store.addMissing('rateLimits', [{ key, points: 0, expiresAt: now + durationMs }]);
      const isOver = (query: Query) => query.where({ key }).where('expiresAt', '<=', now);
      await store.changeWhere('rateLimits', isOver, { points: 0, expiresAt: now + durationMs });
      const isOpen = (query: Query) => query.where({ key }).where('points', '<', points);
      const taken = await store.changeWhere('rateLimits', isOpen, { points: increment(store, 1) });
      return taken === 1 ? undefined : (await store.get('rateLimits', { key })).expiresAt;
    });
    if (expiresAt === undefined) return;
    this.#onLimited?.(rule);
    const seconds = Math.max(1, Math.ceil((expiresAt - now) / 1000));
    throw new ServiceError('request.rate_limited', {
      data: { retryAfterSeconds: seconds },
      headers: { 'Retry-After': String(seconds) },
    });
  }

  /**
   * Takes a point of each before `work`, and gives all of them back if it throws: nothing was tried then, because the
   * service was too busy for it.
   *
   * @throws 429 `request.rate_limited` with `Retry-After`
   */
  async tryOnce<T>(store: TenantStore, counted: readonly Counted[], work: () => Promise<T>): Promise<T> {
    for (const [rule, name] of counted) await this.take(store, rule, name);
    try {
      return await work();
    } catch (error) {
      for (const [rule, name] of counted) await this.giveBack(store, rule, name);
      throw error;
    }
  }

  /** Gives the point back: it was no failure. */
  async giveBack(store: TenantStore, rule: Rule, name: string | undefined): Promise<void> {
    const key = keyOf(rule, name);
    const isTaken = (query: Query) => query.where({ key }).where('points', '>', 0);
    await store.changeWhere('rateLimits', isTaken, { points: increment(store, -1) });
  }

  async clear(store: TenantStore, rule: Rule, name: string | undefined): Promise<void> {
    await store.change('rateLimits', { key: keyOf(rule, name) }, { points: 0 });
  }
}

/** The column takes the expression that its type, a number, stands for. */
const increment = (store: TenantStore, by: number): number => store.raw('points + ?', [by]) as unknown as number;

/** Hashed: what people typed into the identifier field may be a password. */
const keyOf = (rule: Rule, name = 'unknown'): string =>
  `${rule}:${hashOf(BY_ADDRESS.has(rule) ? networkOf(name) : name)}`;
