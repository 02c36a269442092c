import { HOUR_MS, MINUTE_MS } from '../../src/base/times.ts';
import type { CountedMinute } from '../../src/database/statistics/figures.ts';
import { DEFAULT_TENANT } from '../../src/tenants.ts';

/** The load of a working day: quiet at night, busiest in the afternoon. Not random, so that screenshots differ little. */
function countsAt(startsAt: number, index: number): CountedMinute {
  const hour = (startsAt % (24 * HOUR_MS)) / HOUR_MS;
  const load = Math.max(0.08, Math.sin(((hour - 6) / 14) * Math.PI));
  const wave = 0.85 + 0.15 * Math.sin(index * 1.7) + 0.1 * Math.cos(index * 0.9);
  const of = (most: number) => Math.round(most * load * wave);
  const runs = of(46);
  return {
    tenantId: DEFAULT_TENANT,
    startsAt,
    counts: {
      tokensByCode: of(18),
      tokensByRefresh: of(31),
      tokensByClient: of(24),
      impersonationsBegun: of(7),
      impersonationsEnded: index % 9 === 0 ? 1 : 0,
      tokensRefused: index % 5 === 0 ? 1 : 0,
      requestsRefused: index % 7 === 0 ? 2 : 0,
      scriptRuns: runs,
      scriptMicros: runs * 640,
      scriptFailures: index % 13 === 0 ? 1 : 0,
      deliveriesDelivered: of(38),
      deliveriesRetried: index % 6 === 0 ? 2 : 0,
      backlog: of(6) + (index % 12 === 0 ? 5 : 0),
    },
  };
}

const HALF_HOURS = 96;

/** Counts of every half hour of the last two days, for the plots of the overview. */
export function twoDaysUntil(now: number): CountedMinute[] {
  const last = now - (now % (30 * MINUTE_MS));
  return Array.from({ length: HALF_HOURS }, (_, index) =>
    countsAt(last - (HALF_HOURS - index) * 30 * MINUTE_MS, index),
  );
}
