import Type from 'typebox';
import { Nullable, SetOf, Timestamp } from '../../entities.ts';
import { eventTypes } from '../../events/catalogue.ts';
import { operation } from '../../http/operations/operation.ts';
import { feedOfDeliveries } from '../../webhooks/deliveries/feed.ts';
import { getDelivery, listDeliveries } from '../../webhooks/deliveries/history.ts';
import { cancelReplay, countReplay, redeliver, replayStatus, startReplay } from '../../webhooks/replay/replay.ts';
import { optional } from '../shared/fields.ts';

const State = Type.Enum(['waiting', 'delivering', 'delivered', 'dead', 'cancelled']);
const Trigger = Type.Enum(['schedule', 'manual', 'replay']);
const Event = Type.Enum(eventTypes);

const Delivery = Type.Object({
  id: Type.String(),
  eventId: Type.String({ description: 'The `webhook-id` of every attempt' }),
  event: Event,
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
  responseBody: Nullable(Type.String({ description: 'The first 8 KiB' })),
  isSuccess: Type.Boolean(),
});

const Started = Type.Object({ id: Type.Optional(Type.String()), count: Type.Integer() });

export const hookDeliveries = [
  operation('GET /hooks/:id/deliveries', {
    summary: 'List the deliveries of a webhook, newest first',
    status: 200,
    query: optional({ state: State, event: Event, since: Timestamp }),
    returns: Type.Array(Delivery),
    paginated: 'always',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, query, page, store }) {
      await store.get('hooks', { id });
      const { offset = 0, limit = 20 } = page ?? {};
      return listDeliveries(store, id, { ...query, offset, limit });
    },
  }),

  operation('GET /hooks/:id/delivery-feed', {
    summary: 'Read the deliveries of a webhook from a cursor on, newest first',
    description:
      'As fast on every page and for every number of them, as nothing is counted; for a state or an event that few have, say `since` too. `before` is the `next` of the page before; `next` is null on the last one.',
    status: 200,
    query: optional({
      state: State,
      event: Event,
      since: Timestamp,
      before: Type.String({ maxLength: 80 }),
      limit: Type.Integer({ minimum: 1, maximum: 100 }),
    }),
    returns: Type.Object({ deliveries: Type.Array(Delivery), next: Nullable(Type.String()) }),
    errors: ['entity.not_exists_with_id', 'guard.invalid_pagination'],
    async run({ params: { id }, query: { limit = 20, ...query }, store }) {
      await store.get('hooks', { id });
      return feedOfDeliveries(store, id, { ...query, limit });
    },
  }),

  operation('GET /hooks/:id/deliveries/:deliveryId', {
    summary: 'Read a delivery with every attempt made of it, oldest first',
    status: 200,
    returns: Type.Object({
      ...Delivery.properties,
      body: Type.Optional(
        Type.String({ description: 'What is sent, byte for byte; absent once the event is no longer kept' }),
      ),
      attemptLog: Type.Array(Attempt),
    }),
    errors: ['entity.not_exists_with_id'],
    run: ({ params: { id: hookId, deliveryId }, store }) => getDelivery(store, { hookId, deliveryId }),
  }),

  operation('POST /hooks/:id/deliveries/:deliveryId/redeliver', {
    summary: 'Send the event of a delivery once more, whatever became of it',
    status: 202,
    returns: Started,
    errors: ['entity.not_exists_with_id'],
    run: ({ params: { id: hookId, deliveryId }, store, now }) => redeliver(store, { hookId, deliveryId, now }),
  }),

  operation('POST /hooks/:id/replay', {
    summary: 'Send past events again, also those from before the webhook',
    description: '`dryRun` answers 200 with how many there would be, and sends none.',
    status: 202,
    body: Type.Object({
      since: Timestamp,
      until: Type.Optional(Timestamp),
      state: Type.Optional(State),
      events: Type.Optional(SetOf(eventTypes, { minItems: 1 })),
      dryRun: Type.Optional(Type.Boolean()),
    }),
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
    summary: 'Read how far a replay has come',
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
    summary: 'Cancel a replay; what is on its way stays so',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params: { id: hookId, replayId }, store }) => cancelReplay(store, { hookId, replayId }),
  }),
];
