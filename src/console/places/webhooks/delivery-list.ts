import { type Html, html } from '../../../pages/html.ts';
import { buttonLink, choice, filters, type Options } from '../../parts/form-parts.ts';
import { timeRangeIn } from '../../parts/time-range.ts';
import { type ConsoleRequest, type Page, page } from '../../route.ts';
import { type Delivery, deliveryTable, STATES } from './delivery-table.ts';
import { type AtHook, eventOptions, HOOK, type Hook, hookPath, readHook } from './hook.ts';

interface Feed {
  deliveries: Delivery[];
  next: string | null;
}

export const readFeed = async ({ perform }: AtHook, query: Record<string, string>): Promise<Feed> =>
  (await perform('GET /hooks/:id/delivery-feed', { query })).value;

const choiceOf = (name: string, label: string, options: Options, chosen: string): Html =>
  choice(name, label, [['', 'Any'], ...options], chosen);

/** Returns the value if it is one of the options, or else an empty string: invalid filters in the URL are ignored. */
const oneOf = (value: string | null, options: Options): string =>
  options.some(([key]) => key === value) ? String(value) : '';

const CURSOR = /^\d{1,15}-[\w-]{1,64}$/;

interface FeedPage {
  hooks: readonly Hook[];
  /** Further filters of the page, with their inputs. */
  chosen?: Record<string, string>;
  inputs?: Html;
  /** The time range if the URL has none. */
  usualRange?: '24h';
  read(query: Record<string, string>): Promise<Feed>;
}

/** A list of deliveries with its filters, paged by cursor. */
async function feedContent(
  request: ConsoleRequest,
  { hooks, chosen: more = {}, inputs, usualRange, read }: FeedPage,
): Promise<Html> {
  const { query } = request;
  const state = oneOf(query.get('state'), STATES);
  const event = oneOf(query.get('event'), eventOptions);
  const range = timeRangeIn(request, usualRange);
  const before = CURSOR.exec(query.get('before') ?? '')?.[0] ?? '';
  const filter = { ...(state && { state }), ...(event && { event }) };
  const { deliveries, next } = await read({ ...filter, ...range.filter, ...(before && { before }) });
  const here = request.to(request.path);
  const chosen = { ...more, ...filter, ...range.chosen };
  const isNarrowed = Object.keys(chosen).length > 0;
  const at = (cursor: Record<string, string>) => `${here}?${new URLSearchParams({ ...chosen, ...cursor })}`;
  const pages =
    (before || next) &&
    html`<nav class="pager" aria-label="Pages"><span class="quiet">${deliveries.length} shown</span>${before && html`<a class="button compact" href="${at({})}">Newest</a>`}${next && html`<a class="button compact" rel="next" href="${at({ before: next })}">Older</a>`}</nav>`;
  const empty =
    isNarrowed || before || range.filter.since !== undefined
      ? 'No deliveries match these filters.'
      : 'No deliveries yet.';
  return html`${filters(here, html`${inputs}${choiceOf('state', 'Status', STATES, state)}${choiceOf('event', 'Event', eventOptions, event)}${range.inputs}`, isNarrowed)}
<div id="deliveries" data-live>${deliveryTable(request, { deliveries, hooks, empty })}${pages}</div>`;
}

async function showDeliveries(request: AtHook): Promise<Page> {
  const hook = await readHook(request);
  return {
    title: `Deliveries of ${hook.name}`,
    lead: 'Every event for this endpoint, with all its attempts.',
    back: { path: hookPath(hook), label: hook.name },
    actions: buttonLink(request, hookPath(hook, '/replay'), 'Replay events'),
    content: await feedContent(request, { hooks: [hook], read: (query) => readFeed(request, query) }),
    live: ['deliveries', 'attempts'],
  };
}

async function showAllDeliveries(request: ConsoleRequest): Promise<Page> {
  const { value: hooks } = await request.perform('GET /hooks');
  const options = hooks.map(({ id, name }) => [id, name] as const);
  const id = oneOf(request.query.get('webhook'), options);
  return {
    title: 'Deliveries',
    lead: 'Every event for your endpoints, with all its attempts.',
    content: await feedContent(request, {
      hooks,
      usualRange: '24h', // A rare event is searched for among the attempts of all webhooks.
      chosen: id ? { webhook: id } : {},
      inputs: choiceOf('webhook', 'Webhook', options, id),
      read: async (query) => {
        if (id) return (await request.perform('GET /hooks/:id/delivery-feed', { params: { id }, query })).value;
        return (await request.perform('GET /delivery-feed', { query })).value;
      },
    }),
    live: ['deliveries', 'attempts'],
  };
}

export const deliveryList = page(`${HOOK}/deliveries`, showDeliveries);
export const allDeliveries = page('/webhooks/deliveries', showAllDeliveries);
