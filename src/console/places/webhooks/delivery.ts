import { type Html, html } from '../../../pages/html.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { copyable, facts, note, rawJson, section, state, when } from '../../parts/parts.ts';
import { type Attempt, action, type Next, type Page, page, type Visit } from '../../route.ts';
import { type Delivery, stateOf, triggerOf } from './delivery-list.ts';
import { HOOK, type Hook, hookPath, readHook } from './hook.ts';

interface Try {
  number: number;
  startedAt: number;
  durationMs: number;
  status: number | null;
  errorMessage: string | null;
  responseBody: string | null;
  isSuccess: boolean;
}

interface Detailed extends Delivery {
  /** What is sent, byte for byte; undefined once the event is no longer kept. */
  body?: string;
  attemptLog: Try[];
}

const DELIVERY = `${HOOK}/deliveries/:deliveryId`;

const readDelivery = async ({ perform, params: { id = '', deliveryId = '' } }: Visit): Promise<Detailed> =>
  (await perform<Detailed>('GET /hooks/:id/deliveries/:deliveryId', { params: { id, deliveryId } })).value;

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

/** The values of configured headers may be secrets, so they are not repeated here. */
const requestHeaders = ({ config }: Hook, { eventId }: Delivery, { startedAt }: Try) => [
  ...Object.keys(config.headers ?? {}).map((name) => [name.toLowerCase(), '…'] as const),
  ['content-type', 'application/json'] as const,
  ['user-agent', 'Understudy'] as const,
  ['webhook-id', eventId] as const,
  ['webhook-timestamp', String(Math.floor(startedAt / 1000))] as const,
  ['webhook-signature', 'v1,…'] as const,
  ['logto-signature-sha-256', '…'] as const,
];

function attemptOf(visit: Visit, hook: Hook, delivery: Detailed, made: Try): Html {
  const { number, startedAt, durationMs, status, errorMessage, responseBody, isSuccess } = made;
  const verdict = isSuccess
    ? state('ok', `Answered ${status}`)
    : state('bad', status === null ? 'No answer' : `Answered ${status}`);
  return html`<li class="attempt"><div class="row"><h3>Attempt ${number}</h3>${verdict}<span class="quiet">${when(startedAt, visit.now)}, ${durationMs} ms</span></div>
${!isSuccess && errorMessage && html`<p>${errorMessage}</p>`}
<details><summary>Request</summary><div class="tight"><p class="mono">POST ${hook.config.url}</p>${headerLines(requestHeaders(hook, delivery, made))}${delivery.body !== undefined && block(delivery.body)}</div></details>
<details${!isSuccess && responseBody && html` open`}><summary>Reply</summary>${responseBody ? block(responseBody) : html`<p class="quiet">${status === null ? 'There was none.' : 'Its body was empty.'}</p>`}</details></li>`;
}

async function showDelivery(visit: Visit, attempt?: Attempt): Promise<Page> {
  const [hook, delivery] = [await readHook(visit), await readDelivery(visit)];
  const { attemptLog, eventId, body, dueAt, createdAt } = delivery;
  const here = hookPath(visit.params, `/deliveries/${delivery.id}`);
  const newestFirst = attemptLog.toReversed();
  return {
    title: delivery.event,
    back: { path: hookPath(hook, '/deliveries'), label: `Deliveries of ${hook.name}` },
    actions: buttonForm(visit, `${here}/redeliver`, 'Send again', { kind: 'primary' }),
    content: html`${attempt && note('bad', attempt.error.message)}
<div id="delivery" data-live>${facts([
      ['State', stateOf(delivery)],
      ['Attempts', String(delivery.attempts)],
      ['Next attempt', delivery.state === 'waiting' && when(dueAt, visit.now)],
      ['Why it was sent', triggerOf(delivery) || 'The event happened'],
      ['When', when(createdAt, visit.now)],
      ['webhook-id', copyable(eventId)],
    ])}</div>
${section(
  'Attempts',
  html`<ol id="attempts" class="attempts" data-live>${newestFirst.length > 0 ? newestFirst.map((made) => attemptOf(visit, hook, delivery, made)) : html`<li class="empty">None yet.</li>`}</ol>`,
)}
${attemptLog.length === 0 && body !== undefined && section('Payload', block(body))}
${rawJson(delivery)}`,
    live: ['deliveries', 'attempts'],
  };
}

async function redeliver(visit: Visit): Promise<Next> {
  const { id = '', deliveryId = '' } = visit.params;
  const route = 'POST /hooks/:id/deliveries/:deliveryId/redeliver';
  const { value } = await visit.perform<{ id: string }>(route, { params: { id, deliveryId } });
  return {
    to: hookPath({ id }, `/deliveries/${value.id}`),
    flash: { text: 'On its way again, as a delivery of its own.' },
  };
}

export const deliveryPages = [page(DELIVERY, showDelivery), action(`${DELIVERY}/redeliver`, showDelivery, redeliver)];
