import Type, { type Static } from 'typebox';
import { snakeCase } from '../../database/drivers/names.ts';
import { WIDTHS } from '../../database/statistics/figure-writer.ts';
import { addTo, FIGURES, type Figure } from '../../database/statistics/figures.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';

const MINUTE_MS = WIDTHS.minute.widthMs;
const HOUR_MS = WIDTHS.hour.widthMs;

/** Steps are such that about fifty fit: more a plot of half a page cannot show, and a table nobody reads. */
export const RANGES = {
  '1h': { widthMs: MINUTE_MS, stepMs: MINUTE_MS, steps: 60 },
  '24h': { widthMs: MINUTE_MS, stepMs: 30 * MINUTE_MS, steps: 48 },
  '7d': { widthMs: HOUR_MS, stepMs: 3 * HOUR_MS, steps: 56 },
} as const;
export type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** What cannot be read at a glance is not counted to the end: more than this many is shown as "1,000+". */
export const MOST_COUNTED = 1_000;
/** No access token lives longer: the maximum of a resource's `accessTokenTtl`. */
const LONGEST_TOKEN_MS = 24 * HOUR_MS;

const Count = Type.Integer({ minimum: 0 });
const Totals = Type.Object({
  tokensByCode: Count,
  tokensByRefresh: Count,
  tokensByClient: Count,
  tokensRefused: Count,
  impersonationsBegun: Count,
  impersonationsEnded: Type.Integer({ minimum: 0, description: 'By somebody, before their time' }),
  requestsRefused: Type.Integer({ minimum: 0, description: 'Writes to the Management API' }),
  scriptRuns: Count,
  scriptDenials: Count,
  scriptFailures: Count,
  scriptMicros: Type.Integer({ minimum: 0, description: 'Of all runs, microseconds' }),
  deliveriesDelivered: Count,
  deliveriesRetried: Type.Integer({ minimum: 0, description: 'Attempts that failed, with another to come' }),
  deliveriesDead: Type.Integer({ minimum: 0, description: 'Attempts that failed and were the last' }),
  backlog: Type.Integer({ minimum: 0, description: 'The most deliveries that had not ended, looked at each minute' }),
} satisfies Record<Figure, unknown>);
type Totals = Static<typeof Totals>;

const Overview = Type.Object({
  range: Type.Enum(RANGE_NAMES),
  points: Type.Array(Type.Interface([Totals], { startsAt: Timestamp }), {
    description: 'One for each step, oldest first; the last is still under way',
  }),
  total: Totals,
  before: Type.Interface([Totals], {}, { description: 'Of the time before, as long as what has passed of this one' }),
  running: Type.Integer({ description: `Impersonations now, counted to ${MOST_COUNTED + 1}` }),
  waiting: Type.Integer({ description: `Deliveries that have not ended, now, counted to ${MOST_COUNTED + 1}` }),
});
export type Overview = Static<typeof Overview>;

const totals = (row: Partial<Totals> = {}): Totals =>
  Object.fromEntries(FIGURES.map((figure) => [figure, row[figure] ?? 0])) as Totals;

const sums = FIGURES.map((figure) => {
  const column = snakeCase(figure);
  return `cast(${figure === 'backlog' ? 'max' : 'sum'}(${column}) as bigint) as ${column}`; // PostgreSQL sums to numeric.
}).join(', ');

/** In two statements: one over the figures' rows, one for what is going on now. */
export async function readOverview(store: TenantStore, range: Range, now: number): Promise<Overview> {
  const { widthMs, stepMs, steps } = RANGES[range];
  const from = now - (now % stepMs) - (steps - 1) * stepMs;
  const spanMs = steps * stepMs;
  const beforeEnds = now - (now % widthMs) + widthMs - spanMs;
  const step = `case when starts_at >= ${from} then starts_at - starts_at % ${stepMs} else 0 end`;

  const running = store
    .from('impersonations')
    .where({ revokedAt: null })
    .where('expiresAt', '>', now)
    .where('issuedAt', '>', now - LONGEST_TOKEN_MS)
    .orderBy('issuedAt', 'desc')
    .limit(MOST_COUNTED + 1);
  const waiting = store
    .from('deliveries')
    .whereNotNull('dueAt')
    .limit(MOST_COUNTED + 1);
  const [rows, [current]] = await Promise.all([
    store
      .from('figures')
      .where({ widthMs })
      .where('startsAt', '>=', from - spanMs)
      .where((of) => of.where('startsAt', '>=', from).orWhere('startsAt', '<', beforeEnds))
      .select(store.raw(`${step} as step, ${sums}`))
      .groupByRaw(step) as unknown as Promise<(Totals & { step: number })[]>,
    store.raw(
      `select (select count(*) from (?) as running) as running, (select count(*) from (?) as waiting) as waiting`,
      [running.select('id'), waiting.select('id')],
    ) as unknown as Promise<{ running: number; waiting: number }[]>,
  ]);

  const byStep = new Map(rows.map(({ step, ...sums }) => [step, sums]));
  const points = Array.from({ length: steps }, (_, index) => {
    const startsAt = from + index * stepMs;
    return { startsAt, ...totals(byStep.get(startsAt)) };
  });
  const total = totals();
  for (const { startsAt: _, ...counts } of points) addTo(total, counts);
  return { range, points, total, before: totals(byStep.get(0)), running: 0, waiting: 0, ...current };
}

export const overview = [
  operation('GET /overview', {
    summary: 'Read what happened over the last hour, day or week, in numbers',
    description:
      'Counted as it happens and written every two seconds. A process that is killed takes what it counted since; the rows behind the numbers are not concerned.',
    status: 200,
    query: optional({ range: Type.Enum(RANGE_NAMES, { description: 'A day unless given' }) }),
    returns: Overview,
    run: ({ query: { range = '24h' }, store, now }) => readOverview(store, range, now),
  }),
];
