import Type from 'typebox';
import { newId, newSecret } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { HookRow } from '../../database/tables/index.ts';
import { Hook, HookConfig, SetOf } from '../../entities.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import { eventTypes, silentEventTypes } from '../../events/catalogue.ts';
import { operation, type Services } from '../../http/operations/operation.ts';
import { cancelWaiting, removeHook } from '../../webhooks/deliveries/clearing.ts';
import { executionStats } from '../../webhooks/deliveries/history.ts';
import { HEALTHY } from '../../webhooks/sending/health.ts';
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
  const { tenantId, id, name, event, events, enabled, disabledReason, createdAt } = hook;
  const config = openConfig(secrets, hook);
  const signingKey = openSigningKey(secrets, hook);
  const fields = { tenantId, id, name, event, events, config, enabled, createdAt, signingKey };
  return {
    ...fields,
    webhookSecret: webhookSecret(signingKey),
    ...(disabledReason !== null && { disabledReason }),
    ...failureOf(hook),
  };
}

/** The members of a webhook whose last attempt failed. */
function failureOf(hook: HookRow): Partial<Hook> {
  const { failingSince, failuresInARow, lastFailureAt, lastFailureStatus, lastFailureError, pausedUntil } = hook;
  if (failingSince === null) return {};
  return {
    failingSince,
    failuresInARow,
    ...(lastFailureAt !== null && { lastFailureAt }),
    ...(lastFailureStatus !== null && { lastFailureStatus }),
    ...(lastFailureError !== null && { lastFailureError }),
    ...(pausedUntil !== null && { pausedUntil }),
  };
}

/** Returns the default name of a webhook. */
const nameOf = ({ url }: HookConfig): string => `Webhook to ${new URL(url).host}`.slice(0, 256);

/** Returns why a webhook must not use this URL or these headers, one line each. */
function configFaults({ url, headers = {} }: HookConfig, refuseHookUrl: Services['refuseHookUrl']): string {
  const badUrl = refuseHookUrl(url);
  const badHeader = checkHeaders(headers);
  return [badUrl && `body.config.url: ${badUrl}`, badHeader && `body.config.headers: ${badHeader}`]
    .filter(Boolean)
    .join('\n');
}

/** @throws 400 when a webhook must not use this URL or these headers */
export function checkConfig(config: HookConfig, refuseHookUrl: Services['refuseHookUrl']): void {
  const details = configFaults(config, refuseHookUrl);
  if (details) throw invalidBody(details);
}

const NO_EVENTS = `body.events: ${messageOf('hook.missing_events')}`;

/** @throws 400 `hook.missing_events` */
function requireEvents(event: string | null | undefined, events: readonly string[] | undefined, details = ''): void {
  if (event || events?.length) return;
  throw new ServiceError('hook.missing_events', { details: [NO_EVENTS, details].filter(Boolean).join('\n') });
}

/** Most webhooks of a tenant. Each one that listens to an event adds a delivery to the transaction of the change. */
const MAX_HOOKS = 100;

/** @throws 422 `hook.limit_reached` */
async function requireRoom(store: TenantStore): Promise<void> {
  await serialize(store);
  const [row] = await store.from('hooks').count({ count: '*' });
  if (Number(row?.count) >= MAX_HOOKS) throw new ServiceError('hook.limit_reached', { data: { limit: MAX_HOOKS } });
}

/** Enabling a webhook clears its record of failures and ends its pause. A new configuration ends only the pause. */
const changesBy = ({ enabled, config }: { enabled?: boolean; config?: HookConfig }, now: number): Partial<HookRow> => ({
  ...((enabled || config) && { resumedAt: now, pausedUntil: null }),
  ...(enabled && { ...HEALTHY, disabledReason: null }),
});

/** How long an old signing secret still signs after a rotation. */
const DEFAULT_OVERLAP_HOURS = 24;

const WithStats = optional({ includeExecutionStats: Type.Boolean() });

export const hooks = [
  operation('GET /hooks', {
    summary: 'List webhooks, newest first',
    role: 'viewer',
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
    role: 'editor',
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
    check({ event, events, config }, { refuseHookUrl }) {
      requireEvents(event, events, config && configFaults(config, refuseHookUrl));
      if (config) checkConfig(config, refuseHookUrl);
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
    role: 'viewer',
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
    role: 'editor',
    description: '`config` is replaced as a whole. Enabling the webhook clears `disabledReason` and `failingSince`.',
    status: 200,
    body: optional({ name, event: OneEvent, events: HookEvents, config: HookConfig, enabled }),
    example: { events: ['User.Created', 'User.Data.Updated', 'User.Deleted'], enabled: true },
    returns: Hook,
    errors: ['entity.not_exists', 'entity.invalid_input', 'hook.missing_events'],
    check({ event, events, config }, { refuseHookUrl }) {
      if (event === null && events) requireEvents(event, events, config && configFaults(config, refuseHookUrl));
      if (config) checkConfig(config, refuseHookUrl);
    },
    async run({ params, body, store, secrets, now }) {
      const sealed = body.config && sealConfig(secrets, { ...params, tenantId: store.tenantId }, body.config);
      const hook = await store.update('hooks', params, { ...body, ...sealed, ...changesBy(body, now) });
      requireEvents(hook.event, hook.events);
      if (body.enabled === false) await cancelWaiting(store, hook);
      return hookView(secrets, hook);
    },
  }),

  operation('PATCH /hooks/:id/signing-key', {
    summary: 'Rotate the signing secret of a webhook',
    role: 'editor',
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
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => removeHook(store, params.id),
  }),
];
