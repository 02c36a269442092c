import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../src/webhooks/deliveries/claim.ts';
import { HookQueues } from '../../src/webhooks/sending/hook-queues.ts';

const now = 1_000_000;
const hook = (hookId: string) => ({ tenantId: 't', hookId });
const rows = (hookId: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...hook(hookId), id: `${hookId}${n}`, hook: {} }) as ClaimedDelivery);
const newQueues = () => new HookQueues({ maxRoom: 8, schedule: [0, 5, 60] });

/** Starts every row that has room, and returns the ids. */
function started(queues: HookQueues, at = now, free = Number.POSITIVE_INFINITY): string[] {
  const ids: string[] = [];
  for (let next = queues.next(at, free); next; next = queues.next(at, free)) {
    queues.attemptStarted(next.queue);
    ids.push(next.row.id);
  }
  return ids;
}

describe('hook queues', () => {
  it("claim for a tenant's recently active webhooks without a query for due ones", () => {
    const queues = newQueues();
    queues.queueOf(hook('a'));
    queues.markLikely('another');
    expect(queues.toClaim(now)).toEqual([]);
    queues.markLikely('t');
    expect(queues.toClaim(now)).toEqual([{ ...hook('a'), room: 8 }]);
  });

  it('serve each webhook once per round, up to its room', () => {
    const queues = newQueues();
    queues.accept([], [...rows('a', 3), ...rows('b', 3), ...rows('c', 1)]);
    expect(started(queues)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1']);
    queues.attemptEnded(queues.queueOf(hook('a')));
    expect(started(queues)).toEqual(['a2']);
  });

  it('allow a tenant at most as many attempts in flight as could still start', () => {
    const queues = newQueues();
    const another = { ...hook('c'), tenantId: 'u', id: 'c0', hook: {} } as ClaimedDelivery;
    queues.accept([], [...rows('a', 2), ...rows('b', 2), another]);
    expect(started(queues, now, 0)).toEqual(['a0', 'c0']); // None is free, and each tenant has one.
    queues.attemptEnded(queues.queueOf(hook('a')));
    expect(started(queues, now, 0)).toEqual(['b0']); // It kept its position.
  });

  it('claim more when less than half full, but not while the breaker is open', () => {
    const queues = newQueues();
    queues.markDue([hook('a')]);
    expect(queues.toClaim(now)).toEqual([{ ...hook('a'), room: 8 }]);
    queues.accept(queues.toClaim(now), rows('a', 8));
    expect(queues.toClaim(now)).toEqual([]);
    started(queues);
    const queue = queues.queueOf(hook('a'));
    queue.rows.splice(1);
    expect(queues.toClaim(now)).toEqual([{ ...hook('a'), room: 5 }]);
    queue.breaker.failed({ startedAt: now, now, isTimeout: true });
    expect(queues.toClaim(now)).toEqual([]);
  });

  it('claim for webhooks that soon need rows together with one that needs them now', () => {
    const queues = newQueues();
    queues.markDue([hook('a'), hook('b'), hook('c')]);
    queues.accept(queues.toClaim(now), [...rows('a', 8), ...rows('b', 8), ...rows('c', 8)]);
    const hold = (hookId: string, count: number) => queues.queueOf(hook(hookId)).rows.splice(count);
    hold('a', 5);
    hold('b', 7);
    expect(queues.toClaim(now)).toEqual([]);
    hold('c', 4);
    expect(queues.toClaim(now)).toEqual([
      { ...hook('a'), room: 3 },
      { ...hook('c'), room: 4 },
    ]);
  });

  it('claim equal shares for many webhooks', () => {
    const queues = newQueues();
    queues.markDue(Array.from({ length: 100 }, (_, n) => hook(`${n}`)));
    expect(queues.toClaim(now).map(({ room }) => room)).toEqual(Array(100).fill(5));
  });

  it('stop claiming for a webhook that had fewer rows than requested, until it is due again', () => {
    const queues = newQueues();
    queues.markDue([hook('a')]);
    queues.accept(queues.toClaim(now), rows('a', 1));
    started(queues);
    queues.queueOf(hook('a')).inFlight = 0;
    expect(queues.toClaim(now)).toEqual([]);
    queues.markDue([hook('a')]);
    expect(queues.toClaim(now)).toHaveLength(1);
  });

  it('keep rows that arrive while the breaker is open, and start them when it closes', () => {
    const queues = newQueues();
    queues.queueOf(hook('a')).breaker.failed({ startedAt: now, now, isTimeout: true });
    queues.accept([], rows('a', 2));
    expect(started(queues)).toEqual([]);
    queues.scheduleAll();
    expect(started(queues, now + 5000)).toEqual(['a0']); // A single probe.
  });

  it('forget idle webhooks that did not fail, and later those that did', () => {
    const queues = newQueues();
    queues.queueOf(hook('a'));
    queues.queueOf(hook('b')).breaker.failed({ startedAt: now, now, isTimeout: false });
    queues.queueOf(hook('b')).usedAt = now;
    queues.queueOf(hook('c')).usedAt = now;
    const known = () => Object.values(queues.breakerStates(now)).reduce((sum, count) => sum + count, 0);
    queues.prune(now + 50_000);
    expect(known()).toBe(2);
    queues.prune(now + 70_000);
    expect(known()).toBe(1);
    queues.prune(now + 3_700_000);
    expect(known()).toBe(0);
  });
});
