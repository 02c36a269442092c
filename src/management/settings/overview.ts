import Type, { type Static } from 'typebox';
import { snakeCase } from '../../database/drivers/names.ts';
import { WIDTHS, WRITE_EVERY_MS } from '../../database/statistics/figure-writer.ts';
import { addTo, FIGURES, type Figure } from '../../database/statistics/figures.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';

const MINUTE_MS = WIDTHS.minute.widthMs;
const HOUR_MS = WIDTHS.hour.widthMs;

/** Each range has about fifty steps: a chart half a page wide cannot show more. */
export const RANGES = {
  '1h': { widthMs: MINUTE_MS, stepMs: MINUTE_MS, steps: 60 },
  '24h': { widthMs: MINUTE_MS, stepMs: 30 * MINUTE_MS, steps: 48 },
  '7d': { widthMs: HOUR_MS, stepMs: 3 * HOUR_MS, steps: 56 },
} as const;
export type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as Range[];
const DEFAULT_RANGE: Range = '24h';

/** Counting stops above this number, which the console then shows as "1,000+". */
export const MAX_COUNTED = 1_000;
/** Longest lifetime of an access token: the maximum of a resource's `accessTokenTtl`. */
const MAX_TOKEN_TTL_MS = 24 * HOUR_MS;

const Count = Type.Integer({ minimum: 0 });
const Totals = Type.Object({
  tokensByCode: Count,
  tokensByRefresh: Count,
  tokensByClient: Count,
  tokensRefused: Count,
  impersonationsBegun: Count,
  impersonationsEnded: Type.Integer({ minimum: 0, description: 'Impersonations revoked before they expired' }),
  requestsRefused: Type.Integer({ minimum: 0, description: 'Management API writes that were refused' }),
  scriptRuns: Count,
  scriptDenials: Count,
  scriptFailures: Count,
  scriptMicros: Type.Integer({ minimum: 0, description: 'Total duration of all runs, in microseconds' }),
  deliveriesDelivered: Count,
  deliveriesRetried: Type.Integer({ minimum: 0, description: 'Failed attempts that will be retried' }),
  deliveriesDead: Type.Integer({ minimum: 0, description: 'Failed attempts that were the last one' }),
  backlog: Type.Integer({ minimum: 0, description: 'Most unfinished deliveries, counted every minute' }),
} satisfies Record<Figure, unknown>);
type Totals = Static<typeof Totals>;

const Overview = Type.Object({
  range: Type.Enum(RANGE_NAMES),
  points: Type.Array(Type.Interface([Totals], { startsAt: Timestamp }), {
    description: 'One for each step, oldest first; the last step is not over yet',
  }),
  total: Totals,
  before: Type.Interface([Totals], {}, { description: 'Totals of the previous period of the same length' }),
  running: Type.Integer({ description: `Active impersonations now, counted up to ${MAX_COUNTED + 1}` }),
  waiting: Type.Integer({ description: `Unfinished deliveries now, counted up to ${MAX_COUNTED + 1}` }),
});
export type Overview = Static<typeof Overview>;

const totals = (row: Partial<Totals> = {}): Totals =>
  Object.fromEntries(FIGURES.map((figure) => [figure, row[figure] ?? 0])) as Totals;

const sums = FIGURES.map((figure) => {
  const column = snakeCase(figure);
  // PostgreSQL sums to numeric.
  return `cast(${figure === 'backlog' ? 'max' : 'sum'}(${column}) as bigint) as ${column}`;
}).join(', ');

/**
 * Returns the figures of a range, with two statements: one over the stored figures, one that counts what is active now.
 */
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
    .where('issuedAt', '>', now - MAX_TOKEN_TTL_MS)
    .orderBy('issuedAt', 'desc')
    .limit(MAX_COUNTED + 1);
  const waiting = store
    .from('deliveries')
    .whereNotNull('dueAt')
    .limit(MAX_COUNTED + 1);
  const [rows, current] = await Promise.all([
    store
      .from('figures')
      .where({ widthMs })
      .where('startsAt', '>=', from - spanMs)
      .where((of) => of.where('startsAt', '>=', from).orWhere('startsAt', '<', beforeEnds))
      .select<(Totals & { step: number })[]>(store.fragment(`${step} as step, ${sums}`))
      .groupByRaw(step),
    store.countEach({ running: running.select('id'), waiting: waiting.select('id') }),
  ]);

  const byStep = new Map(rows.map(({ step, ...sums }) => [step, sums]));
  const points = Array.from({ length: steps }, (_, index) => {
    const startsAt = from + index * stepMs;
    return { startsAt, ...totals(byStep.get(startsAt)) };
  });
  const total = totals();
  for (const { startsAt: _, ...counts } of points) addTo(total, counts);
  return { range, points, total, before: totals(byStep.get(0)), ...current };
}

export const overview = [
  operation('GET /overview', {
    summary: 'Get the figures of the last hour, day or week',
    role: 'viewer',
    description: `Events are counted as they happen and stored every ${WRITE_EVERY_MS / 1000} seconds. A process that is killed loses the counts since then, but not the data behind them.`,
    status: 200,
    query: optional({ range: Type.Enum(RANGE_NAMES, { description: `Default: ${DEFAULT_RANGE}` }) }),
    returns: Overview,
    run: ({ query: { range = DEFAULT_RANGE }, store, now }) => readOverview(store, range, now),
  }),
];
