import { DAY_MS } from '../../../base/times.ts';
import { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, buttonForm, field, formOf } from '../../parts/form-parts.ts';
import { countOf, facts, note, state } from '../../parts/parts.ts';
import { action, type ConsoleRequest, form, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';
import { STATES } from './delivery-table.ts';
import { type AtHook, eventsOf, HOOK, hookPath, readHook } from './hook.ts';

/** The value of a datetime-local input, in UTC, because the server does not know the reader's time zone. */
const inputTime = (time: number): string => new Date(time).toISOString().slice(0, 16);

function timeOf(text: string, name: string): number {
  const time = Date.parse(`${text}Z`);
  if (Number.isNaN(time))
    throw new ServiceError('guard.invalid_input', { details: `body.${name}: Enter a date and a time.` });
  return time;
}

/** Returns the request body, from the submitted fields or from the query parameters of the counted page. */
function requestOf(values: URLSearchParams) {
  const until = values.get('until') ?? '';
  const state = values.get('state') ?? '';
  const events = values.getAll('events');
  return {
    since: timeOf(values.get('since') ?? '', 'since'),
    ...(until !== '' && { until: timeOf(until, 'until') }),
    ...(state !== '' && { state }),
    ...(events.length > 0 && { events }),
  };
}

/** Keeps only the fields of the replay. */
function chosen(sent: URLSearchParams): URLSearchParams {
  const kept = [...sent].filter(([name]) => ['since', 'until', 'state', 'events'].includes(name));
  return new URLSearchParams(kept);
}

const sendForm = (request: ConsoleRequest, path: string, values: URLSearchParams): Html | false =>
  buttonForm(request, path, 'Replay events', {
    fields: new URLSearchParams([['step', 'send'], ...chosen(values)]),
    kind: 'primary',
  });

async function showReplay(request: AtHook, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  const path = hookPath(hook, '/replay');
  const faults = faultsOf(refused);
  const values = refused?.values ?? request.query;
  const isCounted = !refused && values.has('since');
  const events = eventsOf(hook);
  const fields = [
    field({
      name: 'since',
      label: 'From (UTC)',
      type: 'datetime-local',
      value: values.get('since') ?? inputTime(request.now - DAY_MS),
      faults,
    }),
    field({
      name: 'until',
      label: 'To (UTC)',
      type: 'datetime-local',
      isOptional: true,
      hint: 'Leave empty to include events up to now.',
      value: values.get('until') ?? '',
      faults,
    }),
    field({
      name: 'state',
      label: 'Events to replay',
      value: values.get('state') ?? '',
      hint: 'All events of this time range, including those older than the webhook, or only those with a delivery in this status.',
      options: [
        ['', 'All events'],
        ...STATES.map(([value, label]) => [value, `With delivery status: ${label}`] as const),
      ],
    }),
    boxes(
      'events',
      'Event types',
      events.map((type) => [type, type] as const),
      { ticked: values.has('since') ? values.getAll('events') : events, faults },
    ),
  ];
  return {
    title: `Replay events to ${hook.name}`,
    lead: 'Sends past events again, with the same webhook-id. Counting does not send anything.',
    back: { path: hookPath(hook), label: hook.name },
    content: html`${isCounted && html`<div class="row">${sendForm(request, path, values)}</div>`}
${formOf(request, { path, content: fields, submit: 'Count events', kind: isCounted ? 'quiet' : 'primary', cancel: hookPath(hook), faults })}`,
  };
}

const counted = (count: number): string =>
  count === 0 ? 'No events match.' : `${countOf(count, 'event')} would be replayed.`;

async function countOrStart(request: AtHook): Promise<Redirect> {
  const { submitted } = request;
  const isStarting = submitted.get('step') === 'send';
  const body = { ...requestOf(submitted), dryRun: !isStarting };
  const { value } = await request.perform('POST /hooks/:id/replay', { body });
  if (isStarting) return { to: hookPath(request.params, `/replays/${value.id}`) };
  return { to: `${hookPath(request.params, '/replay')}?${chosen(submitted)}`, flash: { text: counted(value.count) } };
}

type AtReplay = ConsoleRequest<{ id: string; replayId: string }>;

const REPLAY = `${HOOK}/replays/:replayId`;

const LABELS = {
  running: state('info', 'In progress'),
  done: state('ok', 'All events queued'),
  cancelled: state('off', 'Stopped'),
};

async function showProgress(request: AtReplay, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  const { value: replay } = await request.perform('GET /hooks/:id/replays/:replayId');
  const { count, done } = replay;
  const bar = html`<div class="progress"><label for="done">${done.toLocaleString('en')} of ${countOf(count, 'event')}</label><progress id="done" max="${Math.max(1, count)}" value="${count === 0 ? 1 : done}"></progress></div>`;
  return {
    title: 'Replay',
    lead: 'Every replayed event gets a new delivery.',
    back: { path: hookPath(hook), label: hook.name },
    actions: html`<a class="button" href="${request.to(hookPath(hook, '/deliveries'))}">View deliveries</a>`,
    content: html`${refused && note('bad', refused.error.message)}
<div id="progress" data-live class="tight">${facts([
      ['Status', LABELS[replay.state]],
      ['Progress', bar],
    ])}
${replay.state === 'running' && html`<div>${buttonForm(request, hookPath(hook, `/replays/${replay.id}/cancel`), 'Stop replay')}</div>`}</div>`,
    live: ['replays'],
  };
}

async function cancel(request: AtReplay): Promise<Redirect> {
  await request.perform('DELETE /hooks/:id/replays/:replayId');
  return {
    to: hookPath(request.params, `/replays/${request.params.replayId}`),
    flash: { text: 'Replay stopped. Deliveries that were already created are still sent.' },
  };
}

export const replayPages = [
  form(`${HOOK}/replay`, showReplay, countOrStart, 'POST /hooks/:id/replay'),
  page(REPLAY, showProgress),
  action(`${REPLAY}/cancel`, showProgress, cancel, 'DELETE /hooks/:id/replays/:replayId'),
];
