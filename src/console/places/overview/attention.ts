import { DAY_MS } from '../../../base/times.ts';
import type { Hook } from '../../../entities.ts';
import { MAX_COUNTED } from '../../../management/settings/overview.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { countOf, elapsed, state } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';

/** Something that an administrator should look at, with the page that shows it. */
interface Attention {
  kind: 'bad' | 'warn';
  text: string;
  path: string;
}

/** Webhooks listed one by one. */
const MAX_HOOKS = 5;
/** A signing key this old is due if keys are not rotated automatically. */
const OLD_KEY_DAYS = 365;
/** Time for the scheduled rotation to run before a key counts as overdue. */
const ROTATION_GRACE_DAYS = 2;

function hookFault({ id, name, enabled, disabledReason, failingSince }: Hook, now: number): Attention[] {
  const path = `/webhooks/${encodeURIComponent(id)}`;
  if (!enabled && disabledReason !== undefined)
    return [{ kind: 'bad', text: `Webhook “${name}” was disabled. ${disabledReason}`, path }];
  if (!enabled || failingSince === undefined) return [];
  const text = `Webhook “${name}” is failing: no successful delivery for ${elapsed(failingSince, now)}.`;
  return [{ kind: 'warn', text, path }];
}

function hookFaults(hooks: readonly Hook[], now: number): Attention[] {
  const all = hooks.flatMap((hook) => hookFault(hook, now));
  const more = all.length - MAX_HOOKS;
  if (more <= 0) return all;
  const rest = {
    kind: 'warn',
    text: `${countOf(more, 'more webhook')} failed or disabled.`,
    path: '/webhooks',
  } as const;
  return [...all.slice(0, MAX_HOOKS), rest];
}

function scriptFaults({ total: { scriptFailures, scriptRuns } }: Result<'GET /overview'>): Attention[] {
  if (scriptFailures === 0) return [];
  const text = `${countOf(scriptFailures, 'script run')} of ${scriptRuns.toLocaleString('en')} failed in the last hour.`;
  return [{ kind: 'bad', text, path: '/claims/access-token/runs' }];
}

/** Deliveries that were already unfinished when they were last counted, so not those being sent at this moment. */
function waitingDeliveries({ points, waiting }: Result<'GET /overview'>): Attention[] {
  if (waiting === 0 || !points.at(-2)?.backlog) return [];
  const count = Math.min(waiting, MAX_COUNTED).toLocaleString('en') + (waiting > MAX_COUNTED ? '+' : '');
  return [{ kind: 'warn', text: `Events that wait for a delivery attempt: ${count}.`, path: '/webhooks' }];
}

function dueKeys(keys: Result<'GET /configs/oidc/private-keys'>, days: number | undefined, now: number): Attention[] {
  const current = keys.find(({ state }) => state === 'current');
  const due = days === undefined ? OLD_KEY_DAYS : days + ROTATION_GRACE_DAYS;
  if (!current || now - current.createdAt < due * DAY_MS) return [];
  const why =
    days === undefined
      ? 'Keys are not rotated automatically.'
      : `Keys should be rotated every ${countOf(days, 'day')}.`;
  return [
    { kind: 'warn', text: `The signing key is ${elapsed(current.createdAt, now)} old. ${why}`, path: '/settings/keys' },
  ];
}

/** Everything that needs attention now, the worst first; false if nothing does. */
export async function attention({ perform, now, settings, to }: ConsoleRequest): Promise<Html | false> {
  const [{ value: hooks }, { value: hour }, { value: keys }, { value: rotation }] = await Promise.all([
    perform('GET /hooks'),
    perform('GET /overview', { query: { range: '1h' } }),
    perform('GET /configs/oidc/private-keys'),
    perform('GET /configs/oidc/key-rotation'),
  ]);
  const found = [
    ...hookFaults(hooks, now),
    ...scriptFaults(hour),
    ...waitingDeliveries(hour),
    ...dueKeys(keys, rotation.rotationDays ?? settings.keyRotationDays, now),
  ].sort((one, other) => one.kind.localeCompare(other.kind));
  if (found.length === 0) return false;
  const items = found.map(({ kind, text, path }) => html`<li><a href="${to(path)}">${state(kind, text)}</a></li>`);
  return html`<section class="attention" aria-labelledby="attention-title"><h2 id="attention-title">Needs attention</h2><ul>${items}</ul></section>`;
}
