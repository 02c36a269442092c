import Type from 'typebox';
import { newId, newSecret } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { HookRow } from '../../database/tables/index.ts';
import { Hook, HookConfig, SetOf } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { eventTypes, silentEventTypes } from '../../events/catalogue.ts';
import { operation, type Services } from '../../http/operations/operation.ts';
import { cancelWaiting, removeHook } from '../../webhooks/deliveries/clearing.ts';
import { executionStats } from '../../webhooks/deliveries/history.ts';
import { checkHeaders, openConfig, sealConfig } from '../../webhooks/sending/hook-headers.ts';
import { webhookSecret } from '../../webhooks/signatures/signature.ts';
import { openSigningKey, rotatedKeys, sealSigningKey } from '../../webhooks/signatures/signing-keys.ts';
import { invalidBody, optional } from '../shared/fields.ts';
import { list, mapped, newestFirst } from '../shared/listing.ts';
import { serialize } from '../shared/serialize.ts';

const acceptedTypes = [...eventTypes, ...silentEventTypes];
const HookEvents = SetOf(acceptedTypes, {
  description: `Accepted, but never sent: ${silentEventTypes.map((type) => `\`${type}\``).join(', ')}`,
});
const OneEvent = Type.Union([Type.Enum(acceptedTypes), Type.Null()], { description: 'Deprecated: use `events`' });
const { name, enabled } = Hook.properties;

/** Returns a webhook as the API shows it, with the signing secret in both forms that receivers' libraries accept. */
function hookView(secrets: SecretBox, hook: HookRow): Hook {
  const { tenantId, id, name, event, events, enabled, disabledReason, failingSince, createdAt } = hook;
  const config = openConfig(secrets, hook);
  const signingKey = openSigningKey(secrets, hook);
  const fields = { tenantId, id, name, event, events, config, enabled, createdAt, signingKey };
  return {
    ...fields,
    webhookSecret: webhookSecret(signingKey),
    ...(disabledReason !== null && { disabledReason }),
    ...(failingSince !== null && { failingSince }),
  };
}

/** Returns the default name of a webhook. */
const nameOf = ({ url }: HookConfig): string => `Webhook to ${new URL(url).host}`.slice(0, 256);

/** @throws 400 when a webhook must not use this URL or these headers */
export function checkConfig({ url, headers = {} }: HookConfig, refuseHookUrl: Services['refuseHookUrl']): void {
  const badUrl = refuseHookUrl(url);
  if (badUrl) throw invalidBody(`body.config.url: ${badUrl}`);
  const badHeader = checkHeaders(headers);
  if (badHeader) throw invalidBody(`body.config.headers: ${badHeader}`);
}

/** @throws 400 `hook.missing_events` */
function requireEvents(event: string | null | undefined, events: readonly string[] | undefined): void {
  if (!event && !events?.length) throw new ServiceError('hook.missing_events');
}

/** Most webhooks of a tenant. Each one that listens to an event adds a delivery to the transaction of the change. */
const MAX_HOOKS = 100;

/** @throws 422 `hook.limit_reached` */
async function requireRoom(store: TenantStore): Promise<void> {
  await serialize(store);
  const [row] = await store.from('hooks').count({ count: '*' });
  if (Number(row?.count) >= MAX_HOOKS) throw new ServiceError('hook.limit_reached', { data: { limit: MAX_HOOKS } });
}

/** Enabling a webhook clears its record of failures. */
const CLEARED_FAILURES = { disabledReason: null, failingSince: null, lastFailureAt: null, goneCount: 0 };

/** How long an old signing secret still signs after a rotation. */
const DEFAULT_OVERLAP_HOURS = 24;

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
        const views = rows.map((row) => hookView(secrets, row));
        if (!query.includeExecutionStats) return views;
        const ids = rows.map(({ id }) => id);
        const stats = await executionStats(store, ids, now);
        return views.map((hook) => ({ ...hook, executionStats: stats.get(hook.id) }));
      });
    },
  }),

  operation('POST /hooks', {
    summary: 'Create a webhook',
    status: 201,
    description: 'If `name` is missing, the webhook is named after the host of its URL.',
    body: Type.Object({
      name: Type.Optional(name),
      event: Type.Optional(OneEvent),
      events: Type.Optional(HookEvents),
      config: HookConfig,
      enabled: Type.Optional(enabled),
    }),
    example: {
      name: 'Orders',
      events: ['User.Created', 'User.Deleted'],
      config: { url: 'https://hooks.example.com/understudy' },
    },
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
    summary: 'Get a webhook',
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
    summary: 'Update a webhook',
    description: '`config` is replaced as a whole. Enabling the webhook clears `disabledReason` and `failingSince`.',
    status: 200,
    body: optional({ name, event: OneEvent, events: HookEvents, config: HookConfig, enabled }),
    example: { events: ['User.Created', 'User.Data.Updated', 'User.Deleted'], enabled: true },
    returns: Hook,
    errors: ['entity.not_exists', 'entity.invalid_input', 'hook.missing_events'],
    async prepare({ body }, { refuseHookUrl }) {
      if (body.config) checkConfig(body.config, refuseHookUrl);
    },
    async run({ params, body, store, secrets }) {
      const sealed = body.config && sealConfig(secrets, { ...params, tenantId: store.tenantId }, body.config);
      const hook = await store.update('hooks', params, { ...body, ...sealed, ...(body.enabled && CLEARED_FAILURES) });
      requireEvents(hook.event, hook.events);
      if (body.enabled === false) await cancelWaiting(store, hook);
      return hookView(secrets, hook);
    },
  }),

  operation('PATCH /hooks/:id/signing-key', {
    summary: 'Rotate the signing secret of a webhook',
    description: `The header \`webhook-signature\` contains signatures of both the old and the new secret for \`overlapHours\` (default: ${DEFAULT_OVERLAP_HOURS}; 0 stops using the old one at once). The compatible header is signed with the new secret only.`,
    status: 200,
    body: optional({ overlapHours: Type.Integer({ minimum: 0, maximum: 168 }) }),
    returns: Hook,
    errors: ['entity.not_exists'],
    async run({ params, body: { overlapHours = DEFAULT_OVERLAP_HOURS }, store, secrets, now }) {
      const hook = await store.lock('hooks', params);
      const keys = rotatedKeys(secrets, hook, { signingKey: newSecret(), overlapHours, now });
      return hookView(secrets, await store.update('hooks', params, keys));
    },
    audit: (_, { body }) => ({ overlapHours: body.overlapHours ?? DEFAULT_OVERLAP_HOURS }),
  }),

  operation('DELETE /hooks/:id', {
    summary: 'Delete a webhook with its deliveries',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => removeHook(store, params.id),
  }),
];
