import { networkOf } from '../../base/address.ts';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import { HOUR_MS, MINUTE_MS } from '../../base/times.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';

/** The pause between two codes to one email address or phone number. */
export const CODE_PAUSE_MS = MINUTE_MS;

type Rows = Parameters<Parameters<TenantStore['changeWhere']>[1]>[0];

/** The number of attempts (`points`) per `durationMs`. Further ones are refused until that time is over. */
const rules = {
  /**
   * Password attempts for one account, existing or not: from a browser that signed in to it before, or from one network
   * of unknown browsers. A success clears them.
   */
  account: { points: 10, durationMs: 15 * MINUTE_MS },
  /** Failed password attempts of all unknown browsers together for one account. Known browsers are not locked out. */
  strangers: { points: 100, durationMs: HOUR_MS },
  /** Failed password attempts from one address for any account. Many users may share the address. */
  address: { points: 100, durationMs: 15 * MINUTE_MS },
  /** Second-factor codes of one user. A success clears them. */
  factor: { points: 10, durationMs: 15 * MINUTE_MS },
  /** Codes to one email address or phone number, the pause between two, and codes requested from one address. */
  codeDestination: { points: 5, durationMs: HOUR_MS },
  codePause: { points: 1, durationMs: CODE_PAUSE_MS },
  codeAddress: { points: 30, durationMs: HOUR_MS },
  /** New passwords from one address, for new accounts and resets. */
  newPassword: { points: 60, durationMs: HOUR_MS },
  /** Usernames that one user tries on the account page. */
  username: { points: 30, durationMs: HOUR_MS },
  /** New accounts from one address. */
  registration: { points: 30, durationMs: HOUR_MS },
  /**
   * Notices of one kind of change to one user. Kinds are counted apart, so that many changes of one kind cannot
   * suppress the notice of another.
   */
  notice: { points: 5, durationMs: HOUR_MS },
} as const;
type Rule = keyof typeof rules;
/** A rule and the key that it counts by. */
export type LimitKey = readonly [rule: Rule, name: string | undefined];

/** Rules that count by IP address. */
const BY_ADDRESS: ReadonlySet<Rule> = new Set(['address', 'codeAddress', 'newPassword', 'registration']);

/**
 * The rate limits of sign-in, counted in the tenant's own table so that all processes share the counts. A point is
 * taken before the work, so that concurrent attempts count too.
 *
 * Rejected: rate-limiter-flexible. Its SQLite store begins transactions of its own on a connection that belongs to
 * `CommitGroup` here, and its base class for custom stores is not exported.
 */
export class Limits {
  readonly #clock: Clock;
  readonly #onLimited: ((rule: Rule) => void) | undefined;

  /** @param onLimited called with the rule that refused */
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
      const isOver = (rows: Rows) => rows.where({ key }).where('expiresAt', '<=', now);
      await store.changeWhere('rateLimits', isOver, { points: 0, expiresAt: now + durationMs });
      const isOpen = (rows: Rows) => rows.where({ key }).where('points', '<', points);
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
   * Takes a point of each rule before `work` and returns all of them if it throws: the service was too busy to make the
   * attempt.
   *
   * @throws 429 `request.rate_limited` with `Retry-After`
   */
  async attempt<T>(store: TenantStore, keys: readonly LimitKey[], work: () => Promise<T>): Promise<T> {
    for (const [rule, name] of keys) await this.take(store, rule, name);
    try {
      return await work();
    } catch (error) {
      for (const [rule, name] of keys) await this.refund(store, rule, name);
      throw error;
    }
  }

  /** Returns the point of an attempt that did not fail. */
  async refund(store: TenantStore, rule: Rule, name: string | undefined): Promise<void> {
    const key = keyOf(rule, name);
    const isTaken = (rows: Rows) => rows.where({ key }).where('points', '>', 0);
    await store.changeWhere('rateLimits', isTaken, { points: increment(store, -1) });
  }

  async clear(store: TenantStore, rule: Rule, name: string | undefined): Promise<void> {
    await store.change('rateLimits', { key: keyOf(rule, name) }, { points: 0 });
  }
}

/** The column type is a number; the driver also accepts an expression. */
const increment = (store: TenantStore, by: number): number => store.raw('points + ?', [by]) as unknown as number;

/** Hashed, because users sometimes type a password into the identifier field. */
const keyOf = (rule: Rule, name = 'unknown'): string =>
  `${rule}:${hashOf(BY_ADDRESS.has(rule) ? networkOf(name) : name)}`;
