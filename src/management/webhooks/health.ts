import Type from 'typebox';
import { Nullable, Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { healthOf, MAX_ATTEMPTS, MAX_WAITING } from '../../webhooks/deliveries/health.ts';
import { resumeHook } from '../../webhooks/deliveries/resume.ts';

const Milliseconds = Nullable(Type.Integer({ description: 'Null without an attempt' }));

const Health = Type.Object({
  waiting: Type.Integer({ description: `Unfinished deliveries, counted up to ${MAX_WAITING + 1}` }),
  nextAttemptAt: Nullable(
    Type.Integer({ ...Timestamp, description: 'When the earliest of them can be sent; null if nothing waits' }),
  ),
  since: Type.Integer({
    ...Timestamp,
    description: `Start of the figures below: 24 hours ago, or the oldest of the latest ${MAX_ATTEMPTS} attempts`,
  }),
  attempts: Type.Integer(),
  succeeded: Type.Integer(),
  p95Ms: Milliseconds,
  steps: Type.Array(
    Type.Object({ startsAt: Timestamp, succeeded: Type.Integer(), failed: Type.Integer(), p95Ms: Milliseconds }),
    { description: 'The same figures in equal steps, oldest first' },
  ),
});

export const hookHealth = [
  operation('GET /hooks/:id/health', {
    summary: 'Get what waits for a webhook, and the success rate and duration of its latest attempts',
    role: 'viewer',
    status: 200,
    returns: Health,
    errors: ['entity.not_exists_with_id'],
    run: async ({ params, store, now }) => healthOf(store, await store.get('hooks', params), now),
  }),

  operation('POST /hooks/:id/resume', {
    summary: 'Try to send to a webhook now, without waiting for the end of its pause or for its retries',
    role: 'editor',
    description:
      'Every process makes an attempt. If one succeeds, the other deliveries follow; if not, the webhook is paused again.',
    status: 204,
    errors: ['entity.not_exists'],
    run: ({ params, store, now }) => resumeHook(store, params.id, now),
  }),
];
