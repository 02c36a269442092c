import { DAY_MS, HOUR_MS } from '../../../base/times.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { livePart } from '../../parts/live.ts';
import { countOf, elapsed, facts, note, section, when } from '../../parts/parts.ts';
import { plotHelp, plotOf } from '../../parts/plot.ts';
import { action, type ConsoleRequest, type Redirect, type ShowPage } from '../../route.ts';
import { type AtHook, HOOK, type Hook, hookPath, isPaused } from './hook.ts';

type Health = Result<'GET /hooks/:id/health'>;

export const readHealth = async ({ perform }: AtHook): Promise<Health> =>
  (await perform('GET /hooks/:id/health')).value;

const whole = (value: number): string => value.toLocaleString('en');

/** Counting stops above this number. */
const MAX_WAITING = 1_000;

/** Why the last attempt failed, by its error class. */
const ERRORS: Record<string, string> = {
  blocked: 'address not allowed',
  dns: 'host not found',
  connect: 'no connection',
  tls: 'TLS error',
  timeout: 'timed out',
  reset: 'connection closed early',
  headers_too_large: 'response headers too large',
  protocol: 'invalid HTTP response',
  invalid_request: 'invalid request',
  internal: 'internal error',
};

const lastFailure = ({ lastFailureStatus, lastFailureError = '' }: Hook): string =>
  lastFailureError === 'status' ? `responded ${lastFailureStatus}` : (ERRORS[lastFailureError] ?? 'failed');

/** When something that is due at `dueAt` can be sent: not before the end of a pause, and never a time in the past. */
export function nextAttempt(hook: Hook, dueAt: number | null, now: number): Html | string {
  const at = Math.max(dueAt ?? 0, isPaused(hook, now) ? (hook.pausedUntil ?? 0) : 0);
  return at > now ? when(at, now) : 'now';
}

function waitingText({ waiting }: Health): string {
  if (waiting === 0) return 'Nothing is waiting: the next event is sent when it happens.';
  if (waiting === 1) return '1 delivery is waiting.';
  return `${waiting > MAX_WAITING ? `More than ${whole(MAX_WAITING)}` : whole(waiting)} deliveries are waiting.`;
}

/** Why a webhook fails, and when it is tried again. */
function failing(request: ConsoleRequest, hook: Hook, health: Health): Html {
  const { now } = request;
  const { failuresInARow = 1, failingSince = now, lastFailureAt = failingSince } = hook;
  const failures = countOf(failuresInARow, 'failure');
  const last = html`(last: ${lastFailure(hook)}, ${when(lastFailureAt, now)})`;
  const what = isPaused(hook, now)
    ? html`Paused after ${failures} in a row ${last}.`
    : html`${failures} in a row ${last}.`;
  const next = health.nextAttemptAt !== null && html` Next attempt: ${nextAttempt(hook, health.nextAttemptAt, now)}.`;
  const retry = buttonForm(request, hookPath(hook, '/resume'), 'Try now', { kind: '' });
  return note(
    'warn',
    html`<div class="row"><p>${what} No successful delivery for ${elapsed(failingSince, now)}. ${waitingText(health)}${next}</p>${(health.waiting > 0 || isPaused(hook, now)) && retry}</div>`,
  );
}

/** A warning with the reason why deliveries fail and what to do; false if there is no problem. */
export function failureNote(request: ConsoleRequest, hook: Hook, health: Health): Html | false {
  const { enabled, disabledReason, failingSince } = hook;
  if (enabled) return failingSince !== undefined && failing(request, hook, health);
  if (disabledReason === undefined) return false;
  return note(
    'bad',
    html`${disabledReason} The webhook was disabled. Fix your endpoint, then enable the webhook and replay the events it missed.`,
  );
}

const milliseconds = (value: number): string => `${whole(value)} ms`;

/** The share of attempts that succeeded. It never rounds a failure away: "99.9%". */
export function successRate({ attempts, succeeded }: { attempts: number; succeeded: number }): string | undefined {
  if (attempts === 0) return undefined;
  return `${(Math.floor((succeeded / attempts) * 1_000) / 10).toLocaleString('en')}%`;
}

/** Success rate and response time of the latest attempts, each with a plot. */
export function trafficSection(request: ConsoleRequest, hook: Hook, health: Health): Html {
  const { attempts, succeeded, p95Ms, steps, since } = health;
  const rangePath = hookPath(hook, '/deliveries');
  const rate = successRate(health);
  const numbers = facts([
    ['Success rate', rate && `${rate} of ${countOf(attempts, 'attempt')}`],
    ['Response time (95th percentile)', p95Ms !== null && milliseconds(p95Ms)],
    ['Failed attempts', attempts > 0 && whole(attempts - succeeded)],
    ['Period', request.now - since < DAY_MS - HOUR_MS ? html`Since ${when(since, request.now)}` : 'Last 24 hours'],
  ]);
  const results = plotOf(request, {
    id: 'results',
    title: 'Attempts',
    series: [{ name: 'Succeeded' }, { name: 'Failed', tone: 'bad' }],
    text: whole,
    steps: steps.map(({ startsAt, succeeded, failed }) => ({ startsAt, values: [succeeded, failed] })),
    rangePath,
  });
  const times = plotOf(request, {
    id: 'times',
    title: 'Response time (95th percentile)',
    series: [{ name: 'Response time' }],
    shape: 'lines',
    unit: 'ms',
    text: milliseconds,
    steps: steps.map(({ startsAt, p95Ms }) => ({ startsAt, values: [p95Ms ?? 0] })),
    rangePath,
  });
  return section(
    'Latest attempts',
    html`${livePart(request, 'traffic', numbers)}<div id="plots"${attempts === 0 && html` data-live`}>${attempts > 0 && html`${plotHelp()}<div class="plots"><section class="plot-card" aria-label="Attempts"><h3>Attempts</h3>${results}</section><section class="plot-card" aria-label="Response time"><h3>Response time (95th percentile)</h3>${times}</section></div>`}</div>`,
  );
}

async function resume(request: AtHook): Promise<Redirect> {
  await request.perform('POST /hooks/:id/resume');
  return { to: hookPath(request.params), flash: { text: 'Trying now. The result appears here in a moment.' } };
}

export const resumeAction = (show: ShowPage<{ id: string }>) =>
  action(`${HOOK}/resume`, show, resume, 'POST /hooks/:id/resume');
