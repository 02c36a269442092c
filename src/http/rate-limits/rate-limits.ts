import { HOUR_MS, MINUTE_MS } from '../../base/times.ts';

/** Limits of requests: decided in memory, and shared with other processes afterwards. `RATE_LIMIT_…` sets them. */
export type SharedLimit = 'token' | 'subject-tokens' | 'authorization';

/** The number of attempts (`points`) per `durationMs`. Further ones are refused until that time is over. */
interface ExactSettings {
  points: number;
  durationMs: number;
  /** True: the limit counts by IP address, and an IPv6 network as one address. */
  isByAddress?: boolean;
}

/** Limits of attempts to sign in: decided in the database before the attempt, for all processes together. */
export const EXACT_LIMITS = {
  /**
   * Password attempts for one account, existing or not: from a browser that signed in to it before, or from one network
   * of unknown browsers. A success clears them.
   */
  account: { points: 10, durationMs: 15 * MINUTE_MS },
  /** Failed password attempts of all unknown browsers together for one account. Known browsers are not locked out. */
  strangers: { points: 100, durationMs: HOUR_MS },
  /** Failed password attempts from one address for any account. Many users may share the address. */
  address: { points: 100, durationMs: 15 * MINUTE_MS, isByAddress: true },
  /** Second-factor codes of one user. A success clears them. */
  factor: { points: 10, durationMs: 15 * MINUTE_MS },
  /** Codes to one email address or phone number, the pause between two, and codes requested from one address. */
  codeDestination: { points: 5, durationMs: HOUR_MS },
  codePause: { points: 1, durationMs: MINUTE_MS },
  codeAddress: { points: 30, durationMs: HOUR_MS, isByAddress: true },
  /** New passwords from one address, for new accounts and resets. */
  newPassword: { points: 60, durationMs: HOUR_MS, isByAddress: true },
  /** Usernames that one user tries on the account page. */
  username: { points: 30, durationMs: HOUR_MS },
  /** New accounts from one address. */
  registration: { points: 30, durationMs: HOUR_MS, isByAddress: true },
  /**
   * Notices of one kind of change to one user. Kinds are counted apart, so that many changes of one kind cannot
   * suppress the notice of another.
   */
  notice: { points: 5, durationMs: HOUR_MS },
} satisfies Record<string, ExactSettings>;
export type ExactLimit = keyof typeof EXACT_LIMITS;
export const settingsOf = (limit: ExactLimit): ExactSettings => EXACT_LIMITS[limit];

export interface Verdict {
  isAllowed: boolean;
  limit: number;
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
}

/** Returns the time until a window ends, as shown to clients: at least one second. */
export const secondsUntil = (endsAt: number, now: number): number => Math.max(1, Math.ceil((endsAt - now) / 1000));

/** Returns the rate limit headers of a response. A refusal also has `Retry-After`. */
export function rateLimitHeaders({ isAllowed, limit, remaining, resetSeconds }: Verdict): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    ...(!isAllowed && { 'Retry-After': String(resetSeconds) }),
  };
}
