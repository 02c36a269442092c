import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import { HookConfig, JsonObject, Owned, SetOf, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { eventTypes } from '../../events/catalogue.ts';
import { sampleOf } from '../../events/sample.ts';
import { operation } from '../../http/operations/operation.ts';
import { recentLogs } from '../../webhooks/deliveries/history.ts';
import { openSigningKey } from '../../webhooks/signatures/signing-keys.ts';
import { optional, requireOrder } from '../shared/fields.ts';
import { checkConfig } from './hooks.ts';

const HookLog = Type.Object({
  ...Owned,
  key: Type.String({ examples: ['TriggerHook.User.Created'] }),
  payload: JsonObject,
  createdAt: Timestamp,
});

export const hookLogs = [
  operation('POST /hooks/:id/test', {
    summary: 'Send a signed sample of each event to a URL, with the signing secret of this webhook',
    role: 'editor',
    status: 204,
    body: Type.Object({ events: SetOf(eventTypes, { minItems: 1 }), config: HookConfig }),
    errors: ['entity.not_exists_with_id', 'hook.send_test_payload_failed', 'hook.endpoint_responded_with_error'],
    load: ({ params, store }) => store.get('hooks', params),
    async prepare({ body: { events, config }, loaded: hook, secrets, now }, { refuseHookUrl, sendHookTest }) {
      checkConfig(config, refuseHookUrl);
      const failure = await sendHookTest({
        hookId: hook.id,
        url: config.url,
        headers: config.headers ?? {},
        signingKey: openSigningKey(secrets, hook),
        events: events.map((type) => ({ id: newId(), type, body: JSON.stringify(sampleOf(type, now)) })),
      });
      if (failure?.status !== undefined)
        throw new ServiceError('hook.endpoint_responded_with_error', {
          message: `The endpoint responded ${failure.status}. Any 2xx response counts as delivered.`,
          data: { responseStatus: failure.status },
        });
      if (failure) throw new ServiceError('hook.send_test_payload_failed', { message: failure.reason });
    },
    run: async () => undefined,
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
