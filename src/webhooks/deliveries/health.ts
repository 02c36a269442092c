import { HOUR_MS } from '../../base/times.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { AttemptRow, HookRow } from '../../database/tables/index.ts';
import { IS_WITHDRAWN, rowsInState } from './state.ts';

/** Counting stops above this number. */
export const MAX_WAITING = 1_000;
/** Attempts that the figures are computed from, the latest ones. They bound the time of a webhook with many attempts. */
export const MAX_ATTEMPTS = 2_000;
const STEPS = 24;

/** The attempts that started within one step. */
interface Step {
  startsAt: number;
  succeeded: number;
  failed: number;
  /** Null without an attempt. */
  p95Ms: number | null;
}

export interface HookHealth {
  /** Unfinished deliveries, counted up to `MAX_WAITING + 1`. */
  waiting: number;
  /** Null if nothing waits. */
  nextAttemptAt: number | null;
  /** Start of the figures: that of the first of the last 24 hours, or the oldest of the latest attempts. */
  since: number;
  attempts: number;
  succeeded: number;
  p95Ms: number | null;
  steps: Step[];
}

type Sample = Pick<AttemptRow, 'startedAt' | 'durationMs' | 'errorClass'>;

/** The duration that 95% of the attempts do not exceed (nearest rank). */
function p95Of(samples: readonly Sample[]): number | null {
  const sorted = samples.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null;
}

const figuresOf = (samples: readonly Sample[]) => {
  const succeeded = samples.filter(({ errorClass }) => errorClass === null).length;
  return { succeeded, failed: samples.length - succeeded, p95Ms: p95Of(samples) };
};

/**
 * Returns what waits for a webhook, and the results and durations of its latest attempts. Reads `error_class` instead of
 * `is_success`, which is stored behind the response body: SQLite would read the whole body to get there.
 */
export async function healthOf(store: TenantStore, hook: HookRow, now: number): Promise<HookHealth> {
  const day = now - (now % HOUR_MS) - (STEPS - 1) * HOUR_MS;
  const waiting = () => rowsInState(store, hook.id).whereNotNull('dueAt').whereRaw(`not (${IS_WITHDRAWN})`);
  const [{ waiting: count }, first, samples] = await Promise.all([
    store.countEach({
      waiting: waiting()
        .limit(MAX_WAITING + 1)
        .select('deliveries.id'),
    }),
    waiting().orderBy('dueAt').first('dueAt') as Promise<{ dueAt: number } | undefined>,
    store
      .from('attempts')
      .where({ hookId: hook.id })
      .where('startedAt', '>=', day)
      .orderBy('startedAt', 'desc')
      .limit(MAX_ATTEMPTS)
      .select('startedAt', 'durationMs', 'errorClass') as unknown as Promise<Sample[]>,
  ]);
  const { failed, ...figures } = figuresOf(samples);
  const isCapped = samples.length === MAX_ATTEMPTS;
  const since = isCapped ? (samples.at(-1)?.startedAt ?? day) : day;
  const stepMs = isCapped ? Math.ceil((now + 1 - since) / STEPS) : HOUR_MS;
  const byStep = Map.groupBy(samples, ({ startedAt }) => Math.min(STEPS - 1, Math.floor((startedAt - since) / stepMs)));
  return {
    waiting: Number(count),
    nextAttemptAt: first ? Math.max(first.dueAt, hook.pausedUntil ?? 0, now) : null,
    since,
    attempts: figures.succeeded + failed,
    ...figures,
    steps: Array.from({ length: STEPS }, (_, index) => ({
      startsAt: since + index * stepMs,
      ...figuresOf(byStep.get(index) ?? []),
    })),
  };
}
