import Type, { type Static } from 'typebox';
import { snakeCase } from '../../database/drivers/names.ts';
import { WIDTHS, WRITE_EVERY_MS } from '../../database/statistics/figure-writer.ts';
import { addTo, FIGURES, type Figure } from '../../database/statistics/figures.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional, requireOrder } from '../shared/fields.ts';

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
/** Steps of a period with its own times. A plot needs two. */
const [MIN_STEPS, MAX_STEPS] = [2, 60];
const MAX_SPAN_MS = WIDTHS.hour.keptMs;

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
  range: Type.Optional(Type.Enum(RANGE_NAMES)),
  since: Timestamp,
  until: Timestamp,
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

/** Equal steps of time. */
interface Steps {
  /** Width of the stored figures to read. */
  widthMs: number;
  stepMs: number;
  steps: number;
  /** Start of the first step. */
  from: number;
}

/** The steps of a range that ends now. */
function stepsOfRange(range: Range, now: number): Steps {
  const { widthMs, stepMs, steps } = RANGES[range];
  return { widthMs, stepMs, steps, from: now - (now % stepMs) - (steps - 1) * stepMs };
}

/** Returns at most `MAX_STEPS` steps that contain these times, of minutes if those of the previous period are kept. */
function stepsBetween(since: number, until: number, now: number): Steps {
  const kept = since - (until - since) > now - WIDTHS.minute.keptMs + HOUR_MS;
  const widthMs = kept ? MINUTE_MS : HOUR_MS;
  const stepMs = Math.max(1, Math.ceil((until - since) / MAX_STEPS / widthMs)) * widthMs;
  const from = since - (since % stepMs);
  return { widthMs, stepMs, steps: Math.max(MIN_STEPS, Math.ceil((until - from) / stepMs)), from };
}

/** The times to show: from `since` to `until` (or now), or else a range that ends now. */
export interface Period {
  range?: Range | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/**
 * Returns the figures of a period, with two statements: one over the stored figures, one that counts what is active now.
 */
export async function readOverview(
  store: TenantStore,
  { range = DEFAULT_RANGE, since, until: end }: Period,
  now: number,
): Promise<Overview> {
  const { widthMs, stepMs, steps, from } =
    since === undefined
      ? stepsOfRange(range, now)
      : stepsBetween(Math.max(since, (end ?? now) - MAX_SPAN_MS), end ?? now, now);
  const spanMs = steps * stepMs;
  const until = from + spanMs;
  const beforeEnds = Math.min(until, now - (now % widthMs) + widthMs) - spanMs;
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
      .whereBetween('startsAt', [from - spanMs, until - 1])
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
  return {
    ...(since === undefined && { range }),
    since: from,
    until,
    points,
    total,
    before: totals(byStep.get(0)),
    ...current,
  };
}

export const overview = [
  operation('GET /overview', {
    summary: 'Get the figures of the last hour, day or week, or of any time of the last 15 days',
    role: 'viewer',
    description: `With \`since\`, the figures are those from then to \`until\` (default: now), in whole steps. Events are counted as they happen and stored every ${WRITE_EVERY_MS / 1000} seconds. A process that is killed loses the counts since then, but not the data behind them.`,
    status: 200,
    query: optional({
      range: Type.Enum(RANGE_NAMES, { description: `Default: ${DEFAULT_RANGE}` }),
      since: Timestamp,
      until: Timestamp,
    }),
    returns: Overview,
    errors: ['request.invalid_input'],
    async run({ query, store, now }) {
      requireOrder(query.since, query.until ?? now, ['since', 'until']);
      return readOverview(store, query, now);
    },
  }),
];
