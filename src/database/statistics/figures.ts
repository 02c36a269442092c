import type { Owned } from '../tables/row.ts';

/**
 * What is counted of a tenant for its overview, a column of the table `figures` each. All are sums but `backlog`,
 * which is the most that was seen.
 */
export const FIGURES = [
  'tokensByCode',
  'tokensByRefresh',
  'tokensByClient',
  'tokensRefused',
  'impersonationsBegun',
  'impersonationsEnded',
  'requestsRefused',
  'scriptRuns',
  'scriptDenials',
  'scriptFailures',
  'scriptMicros',
  'deliveriesDelivered',
  'deliveriesRetried',
  'deliveriesDead',
  'backlog',
] as const;

export type Figure = (typeof FIGURES)[number];
export type Counts = Partial<Record<Figure, number>>;

/** As the table keeps them: of a minute or of an hour. */
export interface FigureRow extends Owned, Record<Figure, number> {
  widthMs: number;
  startsAt: number;
  expiresAt: number;
}

/** The figures of one tenant in one minute. */
export interface CountedMinute {
  tenantId: string;
  /** The minute's beginning, epoch milliseconds. */
  startsAt: number;
  counts: Counts;
}

export const MINUTE_MS = 60_000;
/** While the database is away, so that counting cannot eat the memory of the service. */
const MAX_MINUTES = 100_000;

export function addTo(counts: Counts, more: Counts): void {
  for (const figure of Object.keys(more) as Figure[]) {
    const [one, other] = [counts[figure] ?? 0, more[figure] ?? 0];
    counts[figure] = figure === 'backlog' ? Math.max(one, other) : one + other;
  }
}

/**
 * Counts in memory, so that what is counted pays neither a statement nor a lock for it; `FigureWriter` brings the
 * counts to the table that all processes share.
 */
export class Figures {
  #minutes = new Map<string, CountedMinute>();

  /** @param at the time of what is counted, epoch milliseconds */
  add(tenantId: string, at: number, counts: Counts): void {
    const startsAt = at - (at % MINUTE_MS);
    const key = `${startsAt} ${tenantId}`;
    let minute = this.#minutes.get(key);
    if (!minute) {
      if (this.#minutes.size >= MAX_MINUTES) return;
      minute = { tenantId, startsAt, counts: {} };
      this.#minutes.set(key, minute);
    }
    addTo(minute.counts, counts);
  }

  /** All that was counted since the last time. */
  take(): CountedMinute[] {
    const minutes = [...this.#minutes.values()];
    this.#minutes = new Map();
    return minutes;
  }
}
