import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { copyable, facts, note, rawJson, section, state, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';
import { type Delivery, stateOf, triggerOf } from './delivery-list.ts';
import { HOOK, type Hook, hookPath, readHook } from './hook.ts';

type DeliveryWithAttempts = Result<'GET /hooks/:id/deliveries/:deliveryId'>;
type Attempt = DeliveryWithAttempts['attemptLog'][number];
type AtDelivery = ConsoleRequest<{ id: string; deliveryId: string }>;

const DELIVERY = `${HOOK}/deliveries/:deliveryId`;

const readDelivery = async ({ perform }: AtDelivery) => (await perform('GET /hooks/:id/deliveries/:deliveryId')).value;

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const block = (text: string): Html =>
  html`<div class="raw-body"><button type="button" class="button compact" hidden data-copy="${text}">Copy</button><pre class="mono" tabindex="0">${pretty(text)}</pre></div>`;

const headerLines = (lines: readonly (readonly [string, string])[]): Html =>
  html`<pre class="mono" tabindex="0">${lines.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>`;

/** Headers of an attempt. The values of configured headers are hidden, because they may be secrets. */
const requestHeaders = ({ config }: Hook, { eventId }: Delivery, { startedAt }: Attempt) => [
  ...Object.keys(config.headers ?? {}).map((name) => [name.toLowerCase(), '…'] as const),
  ['content-type', 'application/json'] as const,
  ['user-agent', 'Understudy'] as const,
  ['webhook-id', eventId] as const,
  ['webhook-timestamp', String(Math.floor(startedAt / 1000))] as const,
  ['webhook-signature', 'v1,…'] as const,
  ['logto-signature-sha-256', '…'] as const,
];

function attemptItem(request: ConsoleRequest, hook: Hook, delivery: DeliveryWithAttempts, attempt: Attempt): Html {
  const { number, startedAt, durationMs, status, errorMessage, responseBody, isSuccess } = attempt;
  const verdict = isSuccess
    ? state('ok', `Responded ${status}`)
    : state('bad', status === null ? 'No response' : `Responded ${status}`);
  return html`<li class="attempt"><div class="row"><h3>Attempt ${number}</h3>${verdict}<span class="quiet">${when(startedAt, request.now)}, ${durationMs} ms</span></div>
${!isSuccess && errorMessage && html`<p>${errorMessage}</p>`}
<details><summary>Request</summary><div class="tight"><p class="mono">POST ${hook.config.url}</p>${headerLines(requestHeaders(hook, delivery, attempt))}${delivery.body !== undefined && block(delivery.body)}</div></details>
<details${!isSuccess && responseBody && html` open`}><summary>Response</summary>${responseBody ? block(responseBody) : html`<p class="quiet">${status === null ? 'No response.' : 'Empty body.'}</p>`}</details></li>`;
}

async function showDelivery(request: AtDelivery, refused?: RefusedForm): Promise<Page> {
  const [hook, delivery] = [await readHook(request), await readDelivery(request)];
  const { attemptLog, eventId, body, dueAt, createdAt } = delivery;
  const here = hookPath(request.params, `/deliveries/${delivery.id}`);
  const newestFirst = attemptLog.toReversed();
  return {
    title: delivery.event,
    back: { path: hookPath(hook, '/deliveries'), label: `Deliveries of ${hook.name}` },
    actions: buttonForm(request, `${here}/redeliver`, 'Redeliver event', { kind: 'primary' }),
    content: html`${refused && note('bad', refused.error.message)}
<div id="delivery" data-live>${facts([
      ['Status', stateOf(delivery)],
      ['Attempts', String(delivery.attempts)],
      ['Next attempt', delivery.state === 'waiting' && when(dueAt, request.now)],
      ['Trigger', triggerOf(delivery)],
      ['Created', when(createdAt, request.now)],
      ['webhook-id', copyable(eventId)],
    ])}</div>
${section(
  'Attempts',
  html`<ol id="attempts" class="attempts" data-live>${newestFirst.length > 0 ? newestFirst.map((attempt) => attemptItem(request, hook, delivery, attempt)) : html`<li class="empty">No attempts yet.</li>`}</ol>`,
)}
${attemptLog.length === 0 && body !== undefined && section('Payload', block(body))}
${rawJson(delivery)}`,
    live: ['deliveries', 'attempts'],
  };
}

async function redeliver(request: AtDelivery): Promise<Redirect> {
  const { value } = await request.perform('POST /hooks/:id/deliveries/:deliveryId/redeliver');
  return {
    to: hookPath(request.params, `/deliveries/${value.id}`),
    flash: { text: 'Redelivery started. This is its delivery.' },
  };
}

export const deliveryPages = [
  page(DELIVERY, showDelivery),
  action(`${DELIVERY}/redeliver`, showDelivery, redeliver, 'POST /hooks/:id/deliveries/:deliveryId/redeliver'),
];
