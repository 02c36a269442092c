import { networkOf } from '../../base/address.ts';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { Query, TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { type ExactLimit, secondsUntil, settingsOf } from './rate-limits.ts';
import { takePoint } from './statements.ts';

/** A limit and the name that it counts by. */
export type LimitKey = readonly [limit: ExactLimit, name: string | undefined];

/**
 * Counts attempts to sign in. The counts are rows of the tenant, so all processes share them. An attempt takes its point
 * before the work begins, so concurrent attempts count too.
 *
 * Rejected: rate-limiter-flexible. Its SQLite store begins transactions of its own on a connection that belongs to
 * `CommitGroup` here, and its base class for custom stores is not exported.
 */
export class ExactLimits {
  readonly #clock: Clock;
  readonly #onLimited: ((limit: ExactLimit) => void) | undefined;

  /** @param onLimited called with the limit that refused */
  constructor(clock: Clock, onLimited?: (limit: ExactLimit) => void) {
    this.#clock = clock;
    this.#onLimited = onLimited;
  }

  /** @throws 429 `request.rate_limited` with `Retry-After` */
  async take(store: TenantStore, limit: ExactLimit, name: string | undefined): Promise<void> {
    const { points, durationMs } = settingsOf(limit);
    const now = this.#clock();
    const key = keyOf(limit, name);
    if (await store.write(['rateLimits'], takePoint(key, points, durationMs, now))) return;
    this.#onLimited?.(limit);
    const counter = await store.find('rateLimits', { key });
    const seconds = secondsUntil(counter?.expiresAt ?? now, now);
    throw new ServiceError('request.rate_limited', {
      data: { retryAfterSeconds: seconds },
      headers: { 'Retry-After': String(seconds) },
    });
  }

  /**
   * Takes a point of each limit before `work` and returns all of them if it throws: the service was too busy to make the
   * attempt.
   *
   * @throws 429 `request.rate_limited` with `Retry-After`
   */
  async attempt<T>(store: TenantStore, keys: readonly LimitKey[], work: () => Promise<T>): Promise<T> {
    for (const [limit, name] of keys) await this.take(store, limit, name);
    try {
      return await work();
    } catch (error) {
      for (const [limit, name] of keys) await this.refund(store, limit, name);
      throw error;
    }
  }

  /** Returns the point of an attempt that did not fail. */
  async refund(store: TenantStore, limit: ExactLimit, name: string | undefined): Promise<void> {
    const isTaken = (rows: Query) => rows.where({ key: keyOf(limit, name) }).where('points', '>', 0);
    await store.changeWhere('rateLimits', isTaken, { points: store.fragment('points - 1') });
  }

  async clear(store: TenantStore, limit: ExactLimit, name: string | undefined): Promise<void> {
    await store.change('rateLimits', { key: keyOf(limit, name) }, { points: 0 });
  }
}

/** Hashed, because users sometimes type a password into the identifier field. */
const keyOf = (limit: ExactLimit, name = 'unknown'): string =>
  `${limit}:${hashOf(settingsOf(limit).isByAddress ? networkOf(name) : name)}`;
