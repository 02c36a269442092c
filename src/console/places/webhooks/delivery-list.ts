import { type Html, html } from '../../../pages/html.ts';
import { choice, filters } from '../../parts/filters.ts';
import type { Options } from '../../parts/form-parts.ts';
import { state, table, when } from '../../parts/parts.ts';
import { type Page, page, type Visit } from '../../route.ts';
import { eventOptions, HOOK, hookPath, readHook } from './hook.ts';

export interface Delivery {
  id: string;
  eventId: string;
  event: string;
  state: 'waiting' | 'delivering' | 'delivered' | 'dead' | 'cancelled';
  trigger: 'schedule' | 'manual' | 'replay';
  attempts: number;
  lastStatus: number | null;
  dueAt: number | null;
  createdAt: number;
}

export const STATES = [
  ['waiting', 'Waiting'],
  ['delivering', 'On its way'],
  ['delivered', 'Delivered'],
  ['dead', 'Given up'],
  ['cancelled', 'Cancelled'],
] as const;
const KINDS = { waiting: 'info', delivering: 'info', delivered: 'ok', dead: 'bad', cancelled: 'off' } as const;
const TRIGGERS = { schedule: '', manual: 'Sent again', replay: 'Replay' };

export const stateOf = ({ state: name, attempts }: Delivery): Html =>
  name === 'waiting' && attempts > 0
    ? state('warn', 'Tries again')
    : state(KINDS[name], STATES.find(([value]) => value === name)?.[1] ?? name);

export const triggerOf = ({ trigger }: Delivery): string => TRIGGERS[trigger];

/** How far back the list goes: value in the address, what it is called, milliseconds. */
const RANGES = [
  ['1h', 'Last hour', 3_600_000],
  ['24h', 'Last 24 hours', 86_400_000],
  ['7d', 'Last 7 days', 604_800_000],
] as const;

interface Feed {
  deliveries: Delivery[];
  next: string | null;
}

export const readFeed = async (visit: Visit, query: Record<string, string>): Promise<Feed> =>
  (await visit.perform<Feed>('GET /hooks/:id/delivery-feed', { params: { id: visit.params.id ?? '' }, query })).value;

export const deliveryTable = (visit: Visit, deliveries: readonly Delivery[], empty: string): Html =>
  table({
    caption: 'Deliveries, newest first',
    rows: deliveries,
    empty,
    columns: [
      {
        label: 'Event',
        cell: ({ id, event }) => html`<a href="${visit.to(hookPath(visit.params, `/deliveries/${id}`))}">${event}</a>`,
      },
      { label: 'State', cell: stateOf },
      { label: 'Answer', cell: ({ lastStatus }) => lastStatus, isNumber: true },
      { label: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
      { label: 'Next attempt', cell: ({ state, dueAt }) => state === 'waiting' && when(dueAt, visit.now) },
      { label: 'Why', cell: triggerOf },
      { label: 'When', cell: ({ createdAt }) => when(createdAt, visit.now) },
    ],
  });

const choiceOf = (name: string, label: string, options: Options, chosen: string): Html =>
  choice(name, label, [['', 'Any'], ...options], chosen);

/** Only what the list knows: whatever else the address says is left out, not refused. */
const oneOf = (value: string | null, options: readonly (readonly [string, ...unknown[]])[]): string =>
  options.some(([key]) => key === value) ? String(value) : '';

const CURSOR = /^\d{1,15}-[\w-]{1,64}$/;

async function showDeliveries(visit: Visit): Promise<Page> {
  const hook = await readHook(visit);
  const { query, now } = visit;
  const state = oneOf(query.get('state'), STATES);
  const event = oneOf(query.get('event'), eventOptions);
  const range = oneOf(query.get('range'), RANGES);
  const before = CURSOR.exec(query.get('before') ?? '')?.[0] ?? '';
  const age = RANGES.find(([key]) => key === range)?.[2];
  const { deliveries, next } = await readFeed(visit, {
    ...(state && { state }),
    ...(event && { event }),
    ...(before && { before }),
    ...(age !== undefined && { since: String(now - age) }),
  });
  const here = visit.to(visit.path);
  const chosen = { ...(state && { state }), ...(event && { event }), ...(range && { range }) };
  const isNarrowed = Object.keys(chosen).length > 0;
  const inputs = [
    choiceOf('state', 'State', STATES, state),
    choiceOf('event', 'Event', eventOptions, event),
    choiceOf('range', 'Time', RANGES, range),
  ];
  const at = (more: Record<string, string>) => `${here}?${new URLSearchParams({ ...chosen, ...more })}`;
  const pages =
    (before || next) &&
    html`<nav class="pager" aria-label="Pages"><span class="quiet">${deliveries.length} shown</span>${before && html`<a class="button compact" href="${at({})}">Newest</a>`}${next && html`<a class="button compact" rel="next" href="${at({ before: next })}">Older</a>`}</nav>`;
  return {
    title: `Deliveries of ${hook.name}`,
    lead: 'Each event that was sent, or is to be, with every attempt.',
    back: { path: hookPath(hook), label: hook.name },
    actions: html`<a class="button" href="${visit.to(hookPath(hook, '/replay'))}">Replay</a>`,
    content: html`${filters(here, inputs, isNarrowed)}
<div id="deliveries" data-live>${deliveryTable(visit, deliveries, isNarrowed || before ? 'No delivery is like this.' : 'Nothing was sent yet.')}${pages}</div>`,
    live: ['deliveries', 'attempts'],
  };
}

export const deliveryList = page(`${HOOK}/deliveries`, showDeliveries);
