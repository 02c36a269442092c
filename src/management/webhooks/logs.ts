import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { HookConfig, JsonObject, Owned, SetOf, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { eventTypes } from '../../events/catalogue.ts';
import { sampleOf } from '../../events/sample.ts';
import { operation } from '../../http/operations/operation.ts';
import { recentLogs } from '../../webhooks/deliveries/history.ts';
import { KEPT_BODY_BYTES } from '../../webhooks/sending/deliver.ts';
import { openSigningKey } from '../../webhooks/signatures/signing-keys.ts';
import { optional, requireOrder } from '../shared/fields.ts';
import { checkConfig } from './hooks.ts';

const HookLog = Type.Object({
  ...Owned,
  key: Type.String({ examples: ['TriggerHook.User.Created'] }),
  payload: JsonObject,
  createdAt: Timestamp,
});

const TestAttempt = Type.Object({
  event: Type.String(),
  durationMs: Type.Integer(),
  status: Type.Optional(Type.Integer({ description: 'Absent if there was no complete response' })),
  responseBody: Type.Optional(Type.String({ description: `The first ${KEPT_BODY_BYTES / 1024} KiB` })),
  error: Type.Optional(Type.String({ description: 'Why the endpoint did not accept the event' })),
});

export const hookLogs = [
  operation('POST /hooks/:id/test', {
    summary: 'Send a signed sample of each event to a URL, with the signing secret of this webhook',
    role: 'editor',
    description:
      'Stops at the first event that the endpoint does not accept. With `includeResponse`, responds 200 with every attempt, whether the endpoint accepted it or not.',
    status: 204,
    otherStatus: 200,
    query: optional({ includeResponse: Type.Boolean() }),
    body: Type.Object({ events: SetOf(eventTypes, { minItems: 1 }), config: HookConfig }),
    returns: Type.Object({ attempts: Type.Array(TestAttempt) }),
    errors: ['entity.not_exists_with_id', 'hook.send_test_payload_failed', 'hook.endpoint_responded_with_error'],
    load: ({ params, store }) => store.get('hooks', params),
    async prepare({ body, query, loaded: hook, secrets, now }, { refuseHookUrl, sendHookTest }) {
      const { events, config } = body;
      checkConfig(config, refuseHookUrl);
      const attempts = await sendHookTest({
        hookId: hook.id,
        url: config.url,
        headers: config.headers ?? {},
        signingKey: openSigningKey(secrets, hook),
        events: events.map((type) => ({ id: newId(), type, body: JSON.stringify(sampleOf(type, now)) })),
      });
      const failure = attempts.find(({ error }) => error !== undefined);
      if (query.includeResponse || !failure) return attempts;
      if (failure.status === undefined)
        throw new ServiceError('hook.send_test_payload_failed', { message: `${failure.error}` });
      throw new ServiceError('hook.endpoint_responded_with_error', {
        message: `The endpoint responded ${failure.status}. Any 2xx response counts as delivered.`,
        data: { responseStatus: failure.status },
      });
    },
    run: async ({ prepared: attempts, query: { includeResponse = false } }) => ({ attempts, includeResponse }),
    statusOf: ({ includeResponse }) => (includeResponse ? 200 : 204),
  }),

  operation('GET /hooks/:id/recent-logs', {
    summary: 'List the attempts of a webhook, newest first; by default those of the last 24 hours',
    role: 'viewer',
    status: 200,
    query: optional({
      logKey: Type.String({ description: '`TriggerHook.` and the event type' }),
      start_time: Timestamp,
      end_time: Timestamp,
    }),
    returns: Type.Array(HookLog),
    paginated: 'always',
    errors: ['entity.not_exists_with_id', 'request.invalid_input'],
    async run({ params: { id }, query: { logKey, start_time: startTime, end_time: endTime }, page, store, now }) {
      requireOrder(startTime, endTime);
      await store.get('hooks', { id });
      return recentLogs(store, id, { logKey, startTime, endTime, now, ...page });
    },
  }),
];
