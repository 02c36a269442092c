import { afterEach, describe, expect, it, vi } from 'vitest';
import { Breaker } from '../../src/webhooks/sending/breaker.ts';
import { disabledReason } from '../../src/webhooks/sending/health.ts';
import { Slots } from '../../src/webhooks/sending/slots.ts';

const schedule = [0, 5, 60, 300, 1800];
const fresh = () => new Breaker({ maxRoom: 8, schedule });
const grown = () => {
  const breaker = fresh();
  for (let success = 0; success < 3; success += 1) breaker.succeeded();
  return breaker;
};
const fail = (breaker: Breaker, now: number, isTimeout = false) => breaker.failed({ startedAt: now, now, isTimeout });

describe('a circuit breaker', () => {
  it('starts with little room and doubles it with each success up to the maximum', () => {
    const breaker = fresh();
    const rooms = [breaker.room(0)];
    for (let success = 0; success < 3; success += 1) {
      breaker.succeeded();
      rooms.push(breaker.room(0));
    }
    expect(rooms).toEqual([2, 4, 8, 8]);
  });

  it('opens after five consecutive failures, but not if a success is in between', () => {
    const breaker = grown();
    for (let failure = 0; failure < 4; failure += 1) fail(breaker, 0);
    breaker.succeeded();
    for (let failure = 0; failure < 4; failure += 1) fail(breaker, 0);
    expect(breaker.state(0)).toBe('closed');
    fail(breaker, 0);
    expect([breaker.state(0), breaker.room(0), breaker.room(4999), breaker.room(5000)]).toEqual(['open', 0, 0, 4]);
  });

  it('opens after one timeout', () => {
    const breaker = grown();
    fail(breaker, 0, true);
    expect(breaker.room(0)).toBe(0);
    expect(breaker.room(5000)).toBe(4);
  });

  it('halves its room down to one probe and stays open longer each time, up to five minutes', () => {
    const breaker = grown();
    const seen: [number, number][] = [];
    let now = 0;
    for (let trip = 0; trip < 5; trip += 1) {
      fail(breaker, now, true);
      const openedAt = now;
      while (breaker.room(now) === 0) now += 1000;
      seen.push([breaker.room(now), (now - openedAt) / 1000]);
    }
    expect(seen).toEqual([
      [4, 5],
      [2, 60],
      [1, 300],
      [1, 300],
      [1, 300],
    ]);
  });

  it('opens only once for concurrent attempts that fail', () => {
    const breaker = grown();
    for (let straggler = 0; straggler < 8; straggler += 1) {
      breaker.failed({ startedAt: 0, now: 100 + straggler, isTimeout: true });
    }
    expect(breaker.room(100 + 5000)).toBe(4);
  });

  it('tries again before its pause ends if it is told to, and stays ready to open', () => {
    const breaker = grown();
    expect(fail(breaker, 0, true)).toBe(true);
    expect(breaker.pausedUntil(1000)).toBe(5000);
    breaker.probe();
    expect([breaker.pausedUntil(1000), breaker.state(1000), breaker.room(1000)]).toEqual([undefined, 'probing', 4]);
    expect(fail(breaker, 1000)).toBe(true);
    expect(breaker.pausedUntil(1000)).toBe(61_000);
  });

  it('closes after the first success', () => {
    const breaker = grown();
    fail(breaker, 0, true);
    expect(breaker.state(6000)).toBe('probing');
    breaker.succeeded();
    expect([breaker.state(6000), breaker.room(6000)]).toEqual(['closed', 8]);
  });
});

describe('a webhook that always fails', () => {
  const HOUR = 3_600_000;
  const record = (failingSince: number | null, lastFailureAt: number | null, goneCount = 0) =>
    disabledReason({ failingSince, lastFailureAt, goneCount }, 200 * HOUR);

  it('is disabled after five days', () => {
    expect(record(80 * HOUR, 199 * HOUR)).toContain('since');
    expect(record(81 * HOUR, 199 * HOUR)).toBeUndefined();
  });

  it('stays enabled if its failures are close together and no events followed', () => {
    expect(record(0, 11 * HOUR)).toBeUndefined();
    expect(record(0, 12 * HOUR)).toBeDefined();
  });

  it('is disabled after the second 410', () => {
    expect(record(null, null, 1)).toBeUndefined();
    expect(record(null, null, 2)).toContain('410');
  });
});

describe('slots', () => {
  afterEach(() => void vi.useRealTimers());

  it('are limited, and free again when an attempt ends', () => {
    const slots = new Slots(2);
    const [first] = [slots.acquire(), slots.acquire()];
    expect(slots.acquire()).toBeUndefined();
    slots.release(first as symbol);
    expect(slots.acquire()).toBeDefined();
  });

  it('are freed by slow attempts, which continue', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const slots = new Slots(1);
    slots.acquire();
    vi.advanceTimersByTime(slots.nextFreeMs - 1);
    expect(slots.acquire()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(slots.acquire()).toBeDefined();
    expect(slots.inUse).toBe(2);
  });
});
