import Type, { type Static } from 'typebox';
import { newId, newSecret } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Hook, HookConfig, SetOf } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { eventTypes, silentEventTypes } from '../../events/catalogue.ts';
import { operation, type Services } from '../../http/operations/operation.ts';
import { cancelWaiting, removeHook } from '../../webhooks/deliveries/clearing.ts';
import { executionStats } from '../../webhooks/deliveries/history.ts';
import { checkHeaders, sealConfig } from '../../webhooks/sending/hook-headers.ts';
import { rotatedKeys, sealSigningKey } from '../../webhooks/signatures/signing-keys.ts';
import { invalidBody, optional } from '../shared/fields.ts';
import { list, mapped, newestFirst } from '../shared/listing.ts';
import { hookView } from './view.ts';

const acceptedTypes = [...eventTypes, ...silentEventTypes];
const HookEvents = SetOf(acceptedTypes, {
  description: `Accepted and stored, but never sent: ${silentEventTypes.map((type) => `\`${type}\``).join(', ')}`,
});
const OneEvent = Type.Union([Type.Enum(acceptedTypes), Type.Null()], { description: 'Deprecated: use `events`' });
const { name, enabled } = Hook.properties;
/** A webhook is known by its address; a name is for people who have several. */
const nameOf = ({ url }: Static<typeof HookConfig>): string => `Webhook to ${new URL(url).host}`.slice(0, 256);

/** @throws 400 when a webhook must not be sent there, or with these headers */
export function checkConfig(
  { url, headers = {} }: Static<typeof HookConfig>,
  refuseHookUrl: Services['refuseHookUrl'],
): void {
  const badUrl = refuseHookUrl(url);
  if (badUrl) throw invalidBody(`body.config.url: ${badUrl}`);
  const badHeader = checkHeaders(headers);
  if (badHeader) throw invalidBody(`body.config.headers: ${badHeader}`);
}

/** @throws 400 `hook.missing_events` */
function requireEvents(event: string | null | undefined, events: readonly string[] | undefined): void {
  if (!event && !events?.length) throw new ServiceError('hook.missing_events');
}

/** Webhooks of a tenant. Every event makes a delivery for each one that listens, in the transaction of the change. */
const MAX_HOOKS = 100;

/** @throws 422 `hook.limit_reached` */
async function requireRoom(store: TenantStore): Promise<void> {
  const [row] = await store.from('hooks').count({ count: '*' });
  if (Number(row?.count) >= MAX_HOOKS) throw new ServiceError('hook.limit_reached', { data: { limit: MAX_HOOKS } });
}

/** Someone looked after it: whatever it was disabled for, it starts anew. */
const REVIVED = { disabledReason: null, failingSince: null, lastFailureAt: null, goneCount: 0 };

const WithStats = optional({ includeExecutionStats: Type.Boolean() });

export const hooks = [
  operation('GET /hooks', {
    summary: 'List webhooks, newest first',
    status: 200,
    query: WithStats,
    returns: Type.Array(Hook),
    paginated: 'optional',
    async run({ query, page, store, secrets, now }) {
      return mapped(await list(store, 'hooks', { page, order: newestFirst }), async (rows) => {
        const shown = rows.map((row) => hookView(secrets, row));
        if (!query.includeExecutionStats) return shown;
        const stats = await executionStats(
          store,
          rows.map(({ id }) => id),
          now,
        );
        return shown.map((hook) => ({ ...hook, executionStats: stats.get(hook.id) }));
      });
    },
  }),

  operation('POST /hooks', {
    summary: 'Register a webhook',
    status: 201,
    description: 'Without a `name` it is named after the host of its URL.',
    body: Type.Object({
      name: Type.Optional(name),
      event: Type.Optional(OneEvent),
      events: Type.Optional(HookEvents),
      config: HookConfig,
      enabled: Type.Optional(enabled),
    }),
    returns: Hook,
    errors: ['hook.missing_events', 'hook.limit_reached'],
    async prepare({ body }, { refuseHookUrl }) {
      requireEvents(body.event, body.events);
      checkConfig(body.config, refuseHookUrl);
    },
    async run({ body, store, secrets, now }) {
      await requireRoom(store);
      const id = newId();
      const hook = await store.insert('hooks', {
        id,
        name: nameOf(body.config),
        event: null,
        events: [],
        enabled: true,
        ...body,
        ...sealConfig(secrets, { tenantId: store.tenantId, id }, body.config),
        signingKeyEncrypted: sealSigningKey(secrets, { tenantId: store.tenantId, id }, newSecret()),
        oldSigningKeys: [],
        createdAt: now,
      });
      return hookView(secrets, hook);
    },
  }),

  operation('GET /hooks/:id', {
    summary: 'Read a webhook',
    status: 200,
    query: WithStats,
    returns: Hook,
    errors: ['entity.not_exists_with_id'],
    async run({ params, query, store, secrets, now }) {
      const hook = hookView(secrets, await store.get('hooks', params));
      if (!query.includeExecutionStats) return hook;
      return { ...hook, executionStats: (await executionStats(store, [hook.id], now)).get(hook.id) };
    },
  }),

  operation('PATCH /hooks/:id', {
    summary: 'Change a webhook',
    description: '`config` is replaced whole. Enabling forgets why it was disabled.',
    status: 200,
    body: optional({ name, event: OneEvent, events: HookEvents, config: HookConfig, enabled }),
    returns: Hook,
    errors: ['entity.not_exists', 'entity.invalid_input', 'hook.missing_events'],
    async prepare({ body }, { refuseHookUrl }) {
      if (body.config) checkConfig(body.config, refuseHookUrl);
    },
    async run({ params, body, store, secrets }) {
      const sealed = body.config && sealConfig(secrets, { ...params, tenantId: store.tenantId }, body.config);
      const hook = await store.update('hooks', params, { ...body, ...sealed, ...(body.enabled && REVIVED) });
      requireEvents(hook.event, hook.events);
      if (body.enabled === false) await cancelWaiting(store, hook);
      return hookView(secrets, hook);
    },
  }),

  operation('PATCH /hooks/:id/signing-key', {
    summary: 'Replace the signing key',
    description:
      'In `webhook-signature` the old key still signs beside the new one for `overlapHours` (24 unless said, 0 ends it at once); the older header carries the new key alone.',
    status: 200,
    body: optional({ overlapHours: Type.Integer({ minimum: 0, maximum: 168 }) }),
    returns: Hook,
    errors: ['entity.not_exists'],
    async run({ params, body: { overlapHours = 24 }, store, secrets, now }) {
      const hook = await store.lock('hooks', params);
      const keys = rotatedKeys(secrets, hook, { signingKey: newSecret(), overlapHours, now });
      return hookView(secrets, await store.update('hooks', params, keys));
    },
    audit: (_, { body }) => ({ overlapHours: body.overlapHours ?? 24 }),
  }),

  operation('DELETE /hooks/:id', {
    summary: 'Delete a webhook with its deliveries',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => removeHook(store, params.id),
  }),
];
