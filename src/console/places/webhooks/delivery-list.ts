import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { buttonLink, choice, filters, type Options, TIME_RANGES } from '../../parts/form-parts.ts';
import { state, table, when } from '../../parts/parts.ts';
import { type Page, page } from '../../route.ts';
import { type AtHook, eventOptions, HOOK, hookPath, readHook } from './hook.ts';

export type Delivery = Result<'GET /hooks/:id/delivery-feed'>['deliveries'][number];

export const STATES = [
  ['waiting', 'Pending or retrying'],
  ['delivering', 'Delivering'],
  ['delivered', 'Delivered'],
  ['dead', 'Failed permanently'],
  ['cancelled', 'Canceled'],
] as const;
const KINDS = { waiting: 'info', delivering: 'info', delivered: 'ok', dead: 'bad', cancelled: 'off' } as const;
const TRIGGERS = { schedule: 'Event', manual: 'Redelivery', replay: 'Replay' };

export const stateOf = ({ state: name, attempts }: Delivery): Html =>
  name === 'waiting'
    ? state(attempts > 0 ? 'warn' : 'info', attempts > 0 ? 'Retrying' : 'Pending')
    : state(KINDS[name], STATES.find(([value]) => value === name)?.[1] ?? name);

export const triggerOf = ({ trigger }: Delivery): string => TRIGGERS[trigger];

export const readFeed = async ({ perform }: AtHook, query: Record<string, string>) =>
  (await perform('GET /hooks/:id/delivery-feed', { query })).value;

export const deliveryTable = (request: AtHook, deliveries: readonly Delivery[], empty: string): Html =>
  table({
    caption: 'Deliveries, newest first',
    rows: deliveries,
    empty,
    columns: [
      {
        label: 'Event',
        cell: ({ id, event }) =>
          html`<a href="${request.to(hookPath(request.params, `/deliveries/${id}`))}">${event}</a>`,
      },
      { label: 'Status', cell: stateOf },
      { label: 'Response', cell: ({ lastStatus }) => lastStatus, isNumber: true },
      { label: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
      { label: 'Next attempt', cell: ({ state, dueAt }) => state === 'waiting' && when(dueAt, request.now) },
      { label: 'Trigger', cell: triggerOf },
      { label: 'Created', cell: ({ createdAt }) => when(createdAt, request.now) },
    ],
  });

const choiceOf = (name: string, label: string, options: Options, chosen: string): Html =>
  choice(name, label, [['', 'Any'], ...options], chosen);

/** Returns the value if it is one of the options, or else an empty string: invalid filters in the URL are ignored. */
const oneOf = (value: string | null, options: readonly (readonly [string, ...unknown[]])[]): string =>
  options.some(([key]) => key === value) ? String(value) : '';

const CURSOR = /^\d{1,15}-[\w-]{1,64}$/;

async function showDeliveries(request: AtHook): Promise<Page> {
  const hook = await readHook(request);
  const { query, now } = request;
  const state = oneOf(query.get('state'), STATES);
  const event = oneOf(query.get('event'), eventOptions);
  const [range, , age] = TIME_RANGES.find(([value]) => value === query.get('range')) ?? TIME_RANGES[0];
  const before = CURSOR.exec(query.get('before') ?? '')?.[0] ?? '';
  const { deliveries, next } = await readFeed(request, {
    ...(state && { state }),
    ...(event && { event }),
    ...(before && { before }),
    ...(age !== undefined && { since: String(now - age) }),
  });
  const here = request.to(request.path);
  const chosen = { ...(state && { state }), ...(event && { event }), ...(range && { range }) };
  const isNarrowed = Object.keys(chosen).length > 0;
  const inputs = [
    choiceOf('state', 'Status', STATES, state),
    choiceOf('event', 'Event', eventOptions, event),
    choice('range', 'Time range', TIME_RANGES, range),
  ];
  const at = (more: Record<string, string>) => `${here}?${new URLSearchParams({ ...chosen, ...more })}`;
  const pages =
    (before || next) &&
    html`<nav class="pager" aria-label="Pages"><span class="quiet">${deliveries.length} shown</span>${before && html`<a class="button compact" href="${at({})}">Newest</a>`}${next && html`<a class="button compact" rel="next" href="${at({ before: next })}">Older</a>`}</nav>`;
  return {
    title: `Deliveries of ${hook.name}`,
    lead: 'Every event for this endpoint, with all its attempts.',
    back: { path: hookPath(hook), label: hook.name },
    actions: buttonLink(request, hookPath(hook, '/replay'), 'Replay events'),
    content: html`${filters(here, inputs, isNarrowed)}
<div id="deliveries" data-live>${deliveryTable(request, deliveries, isNarrowed || before ? 'No deliveries match these filters.' : 'No deliveries yet.')}${pages}</div>`,
    live: ['deliveries', 'attempts'],
  };
}

export const deliveryList = page(`${HOOK}/deliveries`, showDeliveries);
