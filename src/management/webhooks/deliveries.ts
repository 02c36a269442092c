import Type from 'typebox';
import { Nullable, SetOf, Timestamp } from '../../entities.ts';
import { eventTypes } from '../../events/catalogue.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, operation } from '../../http/operations/operation.ts';
import { feedOfAllDeliveries, feedOfDeliveries } from '../../webhooks/deliveries/feed.ts';
import { getDelivery, listDeliveries } from '../../webhooks/deliveries/history.ts';
import { cancelReplay, countReplay, redeliver, replayStatus, startReplay } from '../../webhooks/replay/replay.ts';
import { KEPT_BODY_BYTES } from '../../webhooks/sending/deliver.ts';
import { optional } from '../shared/fields.ts';

const State = Type.Enum(['waiting', 'delivering', 'delivered', 'dead', 'cancelled']);
const Trigger = Type.Enum(['schedule', 'manual', 'replay']);
const Event = Type.Enum(eventTypes);

const Delivery = Type.Object({
  id: Type.String(),
  hookId: Type.String(),
  eventId: Type.String({ description: 'The header `webhook-id` of every attempt' }),
  event: Type.Unsafe<string>(Event),
  state: State,
  trigger: Trigger,
  attempts: Type.Integer(),
  lastStatus: Nullable(Type.Integer()),
  dueAt: Nullable(Timestamp),
  createdAt: Timestamp,
});

const Attempt = Type.Object({
  id: Type.String(),
  number: Type.Integer({ examples: [1] }),
  trigger: Trigger,
  startedAt: Timestamp,
  durationMs: Type.Integer(),
  status: Nullable(Type.Integer({ examples: [200] })),
  errorClass: Nullable(Type.String()),
  errorMessage: Nullable(Type.String()),
  responseBody: Nullable(Type.String({ description: `The first ${KEPT_BODY_BYTES / 1024} KiB` })),
  isSuccess: Type.Boolean(),
});

const FeedQuery = optional({
  state: State,
  event: Event,
  since: Timestamp,
  until: Timestamp,
  before: Type.String({ maxLength: 80 }),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE }),
});
const Feed = Type.Object({ deliveries: Type.Array(Delivery), next: Nullable(Type.String()) });

const Started = Type.Object({ id: Type.Optional(Type.String()), count: Type.Integer() });

export const hookDeliveries = [
  operation('GET /hooks/:id/deliveries', {
    summary: 'List the deliveries of a webhook, newest first',
    role: 'viewer',
    status: 200,
    query: optional({ state: State, event: Event, since: Timestamp }),
    returns: Type.Array(Delivery),
    paginated: 'always',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, query, page, store }) {
      await store.get('hooks', { id });
      return listDeliveries(store, id, { ...query, ...page });
    },
  }),

  operation('GET /hooks/:id/delivery-feed', {
    summary: 'List the deliveries of a webhook with a cursor, newest first',
    role: 'viewer',
    description:
      'Every page is equally fast, however many deliveries there are, because nothing is counted. If few deliveries have the `state` or `event`, also send `since`. Send the `next` of a page as `before` to get the following one; `next` is null on the last page.',
    status: 200,
    query: FeedQuery,
    returns: Feed,
    errors: ['entity.not_exists_with_id', 'guard.invalid_pagination'],
    async run({ params: { id }, query: { limit = DEFAULT_PAGE_SIZE, ...query }, store }) {
      await store.get('hooks', { id });
      return feedOfDeliveries(store, id, { ...query, limit });
    },
  }),

  operation('GET /delivery-feed', {
    summary: 'List the deliveries of all webhooks with a cursor, newest first',
    role: 'viewer',
    description: 'Like `GET /hooks/:id/delivery-feed`. A filter by a rare `state` or `event` also needs `since`.',
    status: 200,
    query: FeedQuery,
    returns: Feed,
    errors: ['guard.invalid_pagination'],
    run: ({ query: { limit = DEFAULT_PAGE_SIZE, ...query }, store }) => feedOfAllDeliveries(store, { ...query, limit }),
  }),

  operation('GET /hooks/:id/deliveries/:deliveryId', {
    summary: 'Get a delivery with its attempts, oldest first',
    role: 'viewer',
    status: 200,
    returns: Type.Object({
      ...Delivery.properties,
      body: Type.Optional(
        Type.String({ description: 'The exact request body; absent once the event has been deleted' }),
      ),
      attemptLog: Type.Array(Attempt),
    }),
    errors: ['entity.not_exists_with_id'],
    run: ({ params: { id: hookId, deliveryId }, store }) => getDelivery(store, { hookId, deliveryId }),
  }),

  operation('POST /hooks/:id/deliveries/:deliveryId/redeliver', {
    summary: 'Send the event of a delivery again, in any state',
    role: 'editor',
    status: 202,
    returns: Started,
    errors: ['entity.not_exists_with_id'],
    run: ({ params: { id: hookId, deliveryId }, store, now }) => redeliver(store, { hookId, deliveryId, now }),
  }),

  operation('POST /hooks/:id/replay', {
    summary: 'Replay past events',
    role: 'editor',
    description:
      'Includes events from before the webhook was created. With `dryRun`, responds 200 with the number of events and sends none.',
    status: 202,
    body: Type.Object({
      since: Timestamp,
      until: Type.Optional(Timestamp),
      state: Type.Optional(State),
      events: Type.Optional(SetOf(eventTypes, { minItems: 1 })),
      dryRun: Type.Optional(Type.Boolean()),
    }),
    example: { since: 1_795_305_600_000, until: 1_795_392_000_000, events: ['User.Created'], dryRun: true },
    returns: Started,
    errors: ['entity.not_exists_with_id'],
    load: ({ params: { id: hookId }, body: { dryRun: _, ...request }, store }) =>
      countReplay(store, { ...request, hookId }),
    async run({ params: { id: hookId }, body: { dryRun = false, ...request }, loaded: count, store, now }) {
      return { ...(dryRun ? { count } : await startReplay(store, { ...request, hookId, now, count })), dryRun };
    },
    statusOf: ({ dryRun }) => (dryRun ? 200 : 202),
    otherStatus: 200,
    audit: ({ count, dryRun }) => ({ count, dryRun }),
  }),

  operation('GET /hooks/:id/replays/:replayId', {
    summary: 'Get the progress of a replay',
    role: 'viewer',
    status: 200,
    returns: Type.Object({
      id: Type.String(),
      count: Type.Integer(),
      done: Type.Integer(),
      state: Type.Enum(['running', 'done', 'cancelled']),
    }),
    errors: ['entity.not_exists_with_id'],
    run: ({ params: { id: hookId, replayId }, store }) => replayStatus(store, { hookId, replayId }),
  }),

  operation('DELETE /hooks/:id/replays/:replayId', {
    summary: 'Cancel a replay',
    role: 'editor',
    description: 'Deliveries that are already queued are still sent.',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id: hookId, replayId }, store }) => cancelReplay(store, { hookId, replayId }),
  }),
];
