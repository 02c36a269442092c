import { type Html, html } from '../../../pages/html.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { copyable, duration, facts, note, rawJson, section, state, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';
import { attemptItem, block, type DeliveryWithAttempts, verdictOf } from './attempt.ts';
import { stateOf, triggerOf } from './delivery-table.ts';
import { nextAttempt } from './health.ts';
import { HOOK, type Hook, hookPath, isPaused, readHook } from './hook.ts';

type AtDelivery = ConsoleRequest<{ id: string; deliveryId: string }>;

const DELIVERY = `${HOOK}/deliveries/:deliveryId`;

const readDelivery = async ({ perform }: AtDelivery) => (await perform('GET /hooks/:id/deliveries/:deliveryId')).value;

/** The attempts made and those to come, by the schedule in force; false once there is nothing more to come. */
function timeline(request: ConsoleRequest, hook: Hook, delivery: DeliveryWithAttempts): Html | false {
  const { attemptLog, attempts, dueAt, state: now } = delivery;
  if (now !== 'waiting' && now !== 'delivering') return false;
  const item = (number: number, what: Html, isNext = false) =>
    html`<li${isNext && html` aria-current="step"`}><b>Attempt ${number}</b> ${what}</li>`;
  const made = attemptLog.map((attempt) =>
    item(attempt.number, html`${verdictOf(attempt)} ${when(attempt.startedAt, request.now)}`),
  );
  const paused = isPaused(hook, request.now) && html` <span class="quiet">The webhook is paused until then.</span>`;
  const next =
    now === 'delivering' ? state('info', 'In progress') : html`${nextAttempt(hook, dueAt, request.now)}${paused}`;
  const schedule = hook.config.retries === 0 ? [] : request.settings.retryScheduleSeconds;
  const later = schedule
    .slice(attempts + 1)
    .map((seconds, index) => item(attempts + 2 + index, html`<span class="quiet">${duration(seconds)} later</span>`));
  return section('Schedule', html`<ol class="timeline">${made}${item(attempts + 1, next, true)}${later}</ol>`, {
    lead: 'Each delay is a minimum: a random part is added, and a Retry-After header of your endpoint can make it longer.',
  });
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
      ['Next attempt', delivery.state === 'waiting' && nextAttempt(hook, dueAt, request.now)],
      ['Trigger', triggerOf(delivery)],
      ['Created', when(createdAt, request.now)],
      ['webhook-id', copyable(eventId)],
    ])}${timeline(request, hook, delivery)}</div>
${section(
  'Attempts',
  html`<ol id="attempts" class="attempts" data-live>${newestFirst.length > 0 ? newestFirst.map((attempt) => attemptItem(request, hook, delivery, attempt)) : html`<li class="empty">No attempts yet.</li>`}</ol>`,
)}
${attemptLog.length === 0 && body !== undefined && section('Payload', block(body))}
${rawJson(delivery)}`,
    live: ['deliveries', 'attempts', 'hooks'],
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
