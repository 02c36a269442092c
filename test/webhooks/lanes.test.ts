import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../src/webhooks/deliveries/statements.ts';
import { Lanes } from '../../src/webhooks/sending/hook-queues.ts';

const now = 1_000_000;
const hook = (hookId: string) => ({ tenantId: 't', hookId });
const rows = (hookId: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...hook(hookId), id: `${hookId}${n}` }) as ClaimedDelivery);
const lanesOf = () => new Lanes({ maxRoom: 8, schedule: [0, 5, 60] });

/** Starts whatever has room, and says which rows. */
function started(lanes: Lanes, at = now, free = Number.POSITIVE_INFINITY): string[] {
  const ids: string[] = [];
  for (let next = lanes.next(at, free); next; next = lanes.next(at, free)) {
    lanes.begin(next.lane);
    ids.push(next.row.id);
  }
  return ids;
}

describe('lanes', () => {
  it('try the hooks of a tenant that were busy lately, before anybody says they are due', () => {
    const lanes = lanesOf();
    lanes.lane(hook('a'));
    lanes.markLikely('another');
    expect(lanes.wanted(now)).toEqual([]);
    lanes.markLikely('t');
    expect(lanes.wanted(now)).toEqual([{ ...hook('a'), room: 8 }]);
  });

  it('serve each hook once a round, up to its room', () => {
    const lanes = lanesOf();
    lanes.accept([], [...rows('a', 3), ...rows('b', 3), ...rows('c', 1)]);
    expect(started(lanes)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1']);
    lanes.end(lanes.lane(hook('a')));
    expect(started(lanes)).toEqual(['a2']);
  });

  it('do not let a tenant have more attempts under way than could still begin', () => {
    const lanes = lanesOf();
    const another = { ...hook('c'), tenantId: 'u', id: 'c0' } as ClaimedDelivery;
    lanes.accept([], [...rows('a', 2), ...rows('b', 2), another]);
    expect(started(lanes, now, 0)).toEqual(['a0', 'c0']); // None is left, and each has one.
    lanes.end(lanes.lane(hook('a')));
    expect(started(lanes, now, 0)).toEqual(['b0']); // It kept its turn.
  });

  it('ask for more below half of what they may hold, and not while a breaker is open', () => {
    const lanes = lanesOf();
    lanes.markDue([hook('a')]);
    expect(lanes.wanted(now)).toEqual([{ ...hook('a'), room: 8 }]);
    lanes.accept(lanes.wanted(now), rows('a', 8));
    expect(lanes.wanted(now)).toEqual([]);
    started(lanes);
    const lane = lanes.lane(hook('a'));
    lane.queue.splice(1);
    expect(lanes.wanted(now)).toEqual([{ ...hook('a'), room: 5 }]);
    lane.breaker.failed({ startedAt: now, now, isTimeout: true });
    expect(lanes.wanted(now)).toEqual([]);
  });

  it('ask no more for a hook that gave less than it was asked for, until it is due again', () => {
    const lanes = lanesOf();
    lanes.markDue([hook('a')]);
    lanes.accept(lanes.wanted(now), rows('a', 1));
    started(lanes);
    lanes.lane(hook('a')).inFlight = 0;
    expect(lanes.wanted(now)).toEqual([]);
    lanes.markDue([hook('a')]);
    expect(lanes.wanted(now)).toHaveLength(1);
  });

  it('keep rows that came while the breaker was open, and start them when it is not', () => {
    const lanes = lanesOf();
    lanes.lane(hook('a')).breaker.failed({ startedAt: now, now, isTimeout: true });
    lanes.accept([], rows('a', 2));
    expect(started(lanes)).toEqual([]);
    lanes.wakeAll();
    expect(started(lanes, now + 5000)).toEqual(['a0']); // A single probe.
  });

  it('forget idle hooks against which nothing is known, and in time the others', () => {
    const lanes = lanesOf();
    lanes.lane(hook('a'));
    lanes.lane(hook('b')).breaker.failed({ startedAt: now, now, isTimeout: false });
    lanes.lane(hook('b')).usedAt = now;
    lanes.lane(hook('c')).usedAt = now;
    const known = () => Object.values(lanes.breakerStates(now)).reduce((sum, count) => sum + count, 0);
    lanes.prune(now + 50_000);
    expect(known()).toBe(2);
    lanes.prune(now + 70_000);
    expect(known()).toBe(1);
    lanes.prune(now + 3_700_000);
    expect(known()).toBe(0);
  });
});
