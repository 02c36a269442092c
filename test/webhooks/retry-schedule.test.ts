import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_SCHEDULE, nextAttemptAt, parseRetryAfter } from '../../src/webhooks/sending/retry-schedule.ts';

const HOUR = 3_600_000;
const now = Date.UTC(2026, 0, 1);
const schedule = [0, 5, 60];
const delay = (attempts: number, overrides: { retryAfter?: string; random?: () => number } = {}) => {
  const at = nextAttemptAt({ schedule, attempts, now, random: () => 0, ...overrides });
  return at === undefined ? undefined : at - now;
};

describe('the retry schedule', () => {
  it('spans about three days', () => {
    const seconds = DEFAULT_RETRY_SCHEDULE.reduce((sum, entry) => sum + entry, 0);
    expect(Math.round(seconds / 3600)).toBe(76);
  });

  it('returns the delay before each attempt, then ends', () => {
    expect([1, 2, 3].map((attempts) => delay(attempts))).toEqual([5000, 60_000, undefined]);
  });

  it('adds up to 20% jitter and never subtracts', () => {
    expect(delay(1, { random: () => 0.5 })).toBe(5500);
    expect(delay(1, { random: () => 1 })).toBe(6000);
    for (let round = 0; round < 100; round += 1) expect(delay(1, { random: Math.random })).toBeGreaterThanOrEqual(5000);
  });
});

describe('Retry-After', () => {
  it('applies if it is later than the schedule', () => {
    expect(delay(1, { retryAfter: '120' })).toBe(120_000);
    expect(delay(2, { retryAfter: '7' })).toBe(60_000);
  });

  it('can be a date', () => {
    expect(delay(1, { retryAfter: new Date(now + HOUR).toUTCString() })).toBe(HOUR);
    expect(delay(1, { retryAfter: new Date(now - HOUR).toUTCString() })).toBe(5000);
  });

  it('is capped at one day', () => {
    expect(delay(1, { retryAfter: '8640000' })).toBe(24 * HOUR);
  });

  it('does not extend an exhausted schedule', () => {
    expect(delay(3, { retryAfter: '1' })).toBeUndefined();
  });

  it.each(['', 'soon', '-5', '1.5e3x', undefined])('is ignored if it is %j', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });
});
