import { MINUTE_MS } from '../../base/times.ts';

/** The figures per tenant, each a column of the table `figures`. All are sums except `backlog`, a maximum. */
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

/** Every figure without a count. */
export const NONE = Object.fromEntries(FIGURES.map((figure) => [figure, 0])) as Record<Figure, number>;

/** The figures of one tenant in one minute. */
export interface CountedMinute {
  tenantId: string;
  /** Start of the minute, in epoch milliseconds. */
  startsAt: number;
  counts: Counts;
}

/** Limit of the memory used while the database is unavailable. */
const MAX_MINUTES = 100_000;

export function addTo(counts: Counts, more: Counts): void {
  for (const figure of Object.keys(more) as Figure[]) {
    const [one, other] = [counts[figure] ?? 0, more[figure] ?? 0];
    counts[figure] = figure === 'backlog' ? Math.max(one, other) : one + other;
  }
}

/** Counts in memory, which costs no statement and no lock. `FigureWriter` writes the counts to the shared table. */
export class Figures {
  #minutes = new Map<string, CountedMinute>();

  /** @param at when the counted events happened, in epoch milliseconds */
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

  /** Returns the counts since the last call. */
  take(): CountedMinute[] {
    const minutes = [...this.#minutes.values()];
    this.#minutes = new Map();
    return minutes;
  }
}
