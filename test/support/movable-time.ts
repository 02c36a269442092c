import { MINUTE_MS } from '../../src/base/times.ts';

/** The system's clock, even while a test replaces `Date` for oidc-provider. */
const systemNow = Date.now;

/** A service's time, which its test can move. Timers, scheduled jobs and oidc-provider's own checks do not follow it. */
export class MovableTime {
  #passedMs = 0;
  #stoppedAt: number | undefined;

  readonly now = (): number => this.#stoppedAt ?? systemNow() + this.#passedMs;

  /** Moves forward. */
  pass(ms: number): void {
    this.#passedMs += ms;
  }

  /** Moves to the start of a minute, when rate limits are reset. */
  startMinute(): void {
    this.pass(MINUTE_MS - (this.now() % MINUTE_MS));
  }

  /** Stays at this time. */
  stopAt(time: number): void {
    this.#stoppedAt = time;
  }
}
