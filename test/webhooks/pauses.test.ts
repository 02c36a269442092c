import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/times.ts';
import { healthOf } from '../../src/webhooks/deliveries/health.ts';
import { resumeHook } from '../../src/webhooks/deliveries/resume.ts';
import { recordFailure } from '../../src/webhooks/sending/health.ts';
import { databases } from '../support/databases.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness, until } from './poller-harness.ts';

/** No retry and no end of a pause happens by itself during a test. */
const SLOW = { retryScheduleSeconds: [0, 3600, 3600] };

const hookOf = (harness: PollerHarness, id: string) => harness.store.get('hooks', { id });
const paused = (harness: PollerHarness, id: string) =>
  until(
    () => hookOf(harness, id),
    ({ pausedUntil }) => pausedUntil !== null,
  );

/** Waits until every attempt is settled, which happens in batches. */
const settled = (harness: PollerHarness, { arrivals }: WebhookReceiver) =>
  until(
    () => harness.store.from('attempts').select('number'),
    ({ length }) => length === arrivals.length,
  );

describe.each(databases)('a webhook whose endpoint fails on %s', (kind) => {
  it('says since when it fails, how often, and until when it is paused', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(500) });
    const hookId = await harness.hook(receiver.url);
    const begun = Date.now();
    await harness.announce(8);
    await harness.poller(SLOW);
    const hook = await paused(harness, hookId);
    expect(hook).toMatchObject({ lastFailureStatus: 500, lastFailureError: 'status' });
    expect(hook.failuresInARow).toBeGreaterThanOrEqual(5);
    expect(hook.pausedUntil).toBeGreaterThanOrEqual(begun + 5 * MINUTE_MS);
    await settled(harness, receiver);
    const attempted = receiver.arrivals.length;
    expect(attempted).toBeLessThan(8); // The breaker held the others back, and they used up no attempt.

    const health = await healthOf(harness.store, await hookOf(harness, hookId), Date.now());
    expect(health).toMatchObject({ waiting: 8, nextAttemptAt: hook.pausedUntil, attempts: attempted, succeeded: 0 });
    expect(health.steps.at(-1)).toMatchObject({ failed: attempted, succeeded: 0 });
  });

  it('is sent to at once after it was resumed, also what would be retried later', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(500) });
    const hookId = await harness.hook(receiver.url);
    await harness.announce(8);
    await harness.poller(SLOW);
    await paused(harness, hookId);
    await settled(harness, receiver);
    receiver.behave(status(204));
    await resumeHook(harness.store, hookId, Date.now());
    await harness.deliveries((rows) => rows.length === 0);
    expect(
      await until(
        () => hookOf(harness, hookId),
        ({ failingSince }) => failingSince === null,
      ),
    ).toMatchObject({ failuresInARow: 0, lastFailureStatus: null, lastFailureError: null, pausedUntil: null });
    const { attempts, succeeded, p95Ms } = await healthOf(harness.store, await hookOf(harness, hookId), Date.now());
    expect([attempts - succeeded >= 5, succeeded, typeof p95Ms]).toEqual([true, 8, 'number']);
  });

  it('is paused again if it still fails after it was resumed', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(500) });
    const hookId = await harness.hook(receiver.url);
    await harness.announce(8);
    await harness.poller(SLOW);
    const first = await paused(harness, hookId);
    const before = receiver.arrivals.length;
    await resumeHook(harness.store, hookId, Date.now());
    const again = await until(
      () => hookOf(harness, hookId),
      ({ pausedUntil, failuresInARow }) => pausedUntil !== null && failuresInARow > first.failuresInARow,
    );
    expect(again.pausedUntil).toBeGreaterThanOrEqual(first.pausedUntil ?? 0);
    expect(receiver.arrivals.length - before).toBeLessThanOrEqual(2); // A probe, not all that waits.
  });

  it.each([-MINUTE_MS, MINUTE_MS])('is tried again once, by a process whose clock is off by %i ms', async (offMs) => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(500) });
    const hookId = await harness.hook(receiver.url);
    await harness.announce(30, 'User.Created', Date.now() - 2 * MINUTE_MS);
    await harness.poller(SLOW, () => Date.now() + offMs);
    await paused(harness, hookId);
    await settled(harness, receiver);
    const before = receiver.arrivals.length;
    await resumeHook(harness.store, hookId, Date.now());
    await until(
      async () => receiver.arrivals.length,
      (count) => count > before,
    );
    await paused(harness, hookId);
    await new Promise((resolve) => setTimeout(resolve, 300)); // A second attempt would follow the record of the pause at once.
    expect(receiver.arrivals.length - before).toBe(1);
  });

  it('is paused until the first of several processes tries again', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook('http://127.0.0.1:1');
    const outcome = { startedAt: 0, durationMs: 1, error: 'timeout' } as const;
    const record = (pausedUntil: number | undefined, now: number) =>
      recordFailure(harness.store, hookId, { outcome, count: 2, pausedUntil, now });
    await record(9000, 1000);
    await record(7000, 1001);
    await record(8000, 1002);
    await record(undefined, 1003);
    expect(await hookOf(harness, hookId)).toMatchObject({ pausedUntil: 7000, failuresInARow: 8 });
    await record(20_000, 7001);
    expect(await hookOf(harness, hookId)).toMatchObject({ pausedUntil: 20_000, lastFailureError: 'timeout' });
  });

  it('has figures of at most its latest 2,000 attempts', async () => {
    await using harness = await PollerHarness.open(kind);
    const hookId = await harness.hook('http://127.0.0.1:1');
    const now = Date.now();
    const attempts = Array.from({ length: 2_100 }, (_, index) => ({
      deliveryId: `d${index}`,
      eventId: 'e',
      eventType: 'User.Created',
      hookId,
      number: 1,
      trigger: 'schedule' as const,
      startedAt: now - index * 100,
      durationMs: index % 100,
      status: index % 10 === 0 ? 500 : 200,
      errorClass: index % 10 === 0 ? 'status' : null,
      errorMessage: null,
      responseBody: null,
      isSuccess: index % 10 !== 0,
    }));
    for (const part of [attempts.slice(0, 1_000), attempts.slice(1_000)]) await harness.store.add('attempts', part);
    const health = await healthOf(harness.store, await hookOf(harness, hookId), now);
    expect(health).toMatchObject({ attempts: 2_000, succeeded: 1_800, p95Ms: 94, since: now - 199_900, waiting: 0 });
    expect(health.nextAttemptAt).toBeNull();
    const sums = health.steps.map(({ succeeded, failed }) => succeeded + failed);
    expect(sums.reduce((sum, count) => sum + count, 0)).toBe(2_000);
  });
});
