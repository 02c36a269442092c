import { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, buttonForm, field, formOf } from '../../parts/form-parts.ts';
import { facts, note, state } from '../../parts/parts.ts';
import { type Attempt, action, form, type Next, type Page, page, type Visit } from '../../route.ts';
import { STATES } from './delivery-list.ts';
import { eventsOf, HOOK, hookPath, readHook } from './hook.ts';

interface Replay {
  id: string;
  count: number;
  done: number;
  state: 'running' | 'done' | 'cancelled';
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** As an input of a local time has it. The page says that it is UTC: the server does not know the reader's zone. */
const inputTime = (time: number): string => new Date(time).toISOString().slice(0, 16);

function timeOf(text: string, name: string): number {
  const time = Date.parse(`${text}Z`);
  if (Number.isNaN(time))
    throw new ServiceError('guard.invalid_input', { details: `body.${name}: Enter a day and a time.` });
  return time;
}

/** The body of the row, from the fields or from the address that counting leads to. */
function requestOf(given: URLSearchParams) {
  const until = given.get('until') ?? '';
  const state = given.get('state') ?? '';
  const events = given.getAll('events');
  return {
    since: timeOf(given.get('since') ?? '', 'since'),
    ...(until !== '' && { until: timeOf(until, 'until') }),
    ...(state !== '' && { state }),
    ...(events.length > 0 && { events }),
  };
}

/** The fields alone, so that nothing else goes on. */
function chosen(sent: URLSearchParams): URLSearchParams {
  const kept = [...sent].filter(([name]) => ['since', 'until', 'state', 'events'].includes(name));
  return new URLSearchParams(kept);
}

const sendForm = (visit: Visit, path: string, given: URLSearchParams): Html =>
  buttonForm(visit, path, 'Send them again', {
    fields: new URLSearchParams([['step', 'send'], ...chosen(given)]),
    kind: 'primary',
  });

async function showReplay(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const path = hookPath(hook, '/replay');
  const faults = faultsOf(attempt);
  const given = attempt?.typed ?? visit.query;
  const isCounted = !attempt && given.has('since');
  const events = eventsOf(hook);
  const fields = [
    field({
      name: 'since',
      label: 'From (UTC)',
      type: 'datetime-local',
      value: given.get('since') ?? inputTime(visit.now - DAY_MS),
      faults,
    }),
    field({
      name: 'until',
      label: 'To (UTC)',
      type: 'datetime-local',
      isOptional: true,
      hint: 'Empty: up to now.',
      value: given.get('until') ?? '',
      faults,
    }),
    field({
      name: 'state',
      label: 'Which',
      value: given.get('state') ?? '',
      hint: 'Every event of that time, also those from before the webhook, or only those with such a delivery.',
      options: [
        ['', 'Every event'],
        ...STATES.map(([value, label]) => [value, `Only with a delivery: ${label}`] as const),
      ],
    }),
    boxes(
      'events',
      'Events',
      events.map((type) => [type, type] as const),
      { ticked: given.has('since') ? given.getAll('events') : events, faults },
    ),
  ];
  return {
    title: `Replay to ${hook.name}`,
    lead: 'Sends past events again. Receivers know them by their webhook-id. Count first: nothing is sent by that.',
    back: { path: hookPath(hook), label: hook.name },
    content: html`${isCounted && html`<div class="row">${sendForm(visit, path, given)}</div>`}
${formOf(visit, { path, content: fields, submit: 'Count the events', kind: isCounted ? 'quiet' : 'primary', cancel: hookPath(hook), faults })}`,
  };
}

const counted = (count: number): string =>
  count === 0
    ? 'No event is like this.'
    : `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'} would be sent.`;

async function countOrStart(visit: Visit): Promise<Next> {
  const { sent } = visit;
  const isForReal = sent.get('step') === 'send';
  const body = { ...requestOf(sent), dryRun: !isForReal };
  const { value } = await visit.perform<{ id?: string; count: number }>('POST /hooks/:id/replay', {
    params: visit.params,
    body,
  });
  if (isForReal) return { to: hookPath(visit.params, `/replays/${value.id}`) };
  return { to: `${hookPath(visit.params, '/replay')}?${chosen(sent)}`, flash: { text: counted(value.count) } };
}

const REPLAY = `${HOOK}/replays/:replayId`;

const LABELS = {
  running: state('info', 'Under way'),
  done: state('ok', 'All on their way'),
  cancelled: state('off', 'Cancelled'),
};

async function showProgress(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const { id = '', replayId = '' } = visit.params;
  const params = { id, replayId };
  const { value: replay } = await visit.perform<Replay>('GET /hooks/:id/replays/:replayId', { params });
  const { count, done } = replay;
  const bar = html`<div class="progress"><label for="done">${done.toLocaleString('en')} of ${count.toLocaleString('en')} events</label><progress id="done" max="${Math.max(1, count)}" value="${count === 0 ? 1 : done}"></progress></div>`;
  return {
    title: 'Replay',
    lead: 'Each event becomes a delivery of its own.',
    back: { path: hookPath(hook), label: hook.name },
    actions: html`<a class="button" href="${visit.to(hookPath(hook, '/deliveries'))}">Deliveries</a>`,
    content: html`${attempt && note('bad', attempt.error.message)}
<div id="progress" data-live class="tight">${facts([
      ['State', LABELS[replay.state]],
      ['So far', bar],
    ])}
${replay.state === 'running' && html`<div>${buttonForm(visit, hookPath(hook, `/replays/${replay.id}/cancel`), 'Stop here')}</div>`}</div>`,
    live: ['replays'],
  };
}

async function cancel(visit: Visit): Promise<Next> {
  const { id = '', replayId = '' } = visit.params;
  await visit.perform('DELETE /hooks/:id/replays/:replayId', { params: { id, replayId } });
  return { to: hookPath({ id }, `/replays/${replayId}`), flash: { text: 'Stopped. What is on its way stays so.' } };
}

export const replayPages = [
  form(`${HOOK}/replay`, showReplay, countOrStart),
  page(REPLAY, showProgress),
  action(`${REPLAY}/cancel`, showProgress, cancel),
];
