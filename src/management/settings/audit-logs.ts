import Type from 'typebox';
import type { AuditRow } from '../../database/tables/index.ts';
import { JsonObject, Owned, Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional, requireOrder } from '../shared/fields.ts';
import { byTime, containing, list, mapped, Order, TextIn } from '../shared/listing.ts';

const Result = Type.Enum(['Success', 'Error']);
/** More than there are keys. */
const MAX_KEYS = 500;

const Log = Type.Object({
  ...Owned,
  key: Type.String({ examples: ['Management.POST /users'] }),
  payload: Type.Object(
    {
      key: Type.String(),
      result: Result,
      applicationId: Type.Optional(Type.String()),
      userId: Type.Optional(Type.String({ description: 'The user who was affected' })),
      actorId: Type.Optional(Type.String({ description: 'The user who acted; absent if an application did' })),
      ip: Type.Optional(Type.String()),
      userAgent: Type.Optional(Type.String()),
      requestId: Type.Optional(Type.String()),
      details: JsonObject,
    },
    { description: 'The action, the actor, the affected user, the origin of the request and the reason' },
  ),
  createdAt: Timestamp,
});

/** Returns an entry in the form of the compatible API, in which everything but id, key and time is in `payload`. */
function viewOf({ tenantId, id, key, createdAt, payload: details, ...row }: AuditRow) {
  const payload = {
    key,
    result: row.result,
    applicationId: row.applicationId ?? undefined,
    userId: row.userId ?? undefined,
    actorId: row.actorId ?? undefined,
    ip: row.ip ?? undefined,
    userAgent: row.userAgent ?? undefined,
    requestId: row.requestId ?? undefined,
    details,
  };
  return { tenantId, id, key, payload, createdAt };
}

export const logs = [
  operation('GET /logs', {
    summary: 'List audit log entries, newest first',
    role: 'viewer',
    status: 200,
    query: optional({
      userId: Type.String({ description: 'The user who was affected' }),
      actorId: Type.String({ description: 'The user who acted' }),
      applicationId: Type.String(),
      logKey: Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: MAX_KEYS })], {
        description: 'One of these keys; the parameter can be repeated',
      }),
      result: Result,
      start_time: Timestamp,
      end_time: Timestamp,
      q: TextIn('the details, IP address or request id of an entry'),
      order: Order,
    }),
    returns: Type.Array(Log),
    paginated: 'always',
    errors: ['request.invalid_input'],
    async run({ query: { logKey, result, start_time: start, end_time: end, q: text, order, ...ids }, page, store }) {
      requireOrder(start, end);
      const rows = await list(store, 'auditLog', {
        page,
        order: byTime('createdAt', order),
        amongNewest: text ? containing(store, ['payload', 'ip', 'requestId'], text) : undefined,
        where(entries) {
          entries.where(ids);
          if (Array.isArray(logKey)) entries.whereIn('key', logKey);
          else if (logKey !== undefined) entries.where({ key: logKey });
          // A literal, so that the partial index of refused requests applies.
          if (result !== undefined) entries.whereRaw(result === 'Error' ? `result = 'Error'` : `result = 'Success'`);
          if (start !== undefined) entries.where('createdAt', '>=', start);
          if (end !== undefined) entries.where('createdAt', '<=', end);
        },
      });
      return mapped(rows, async (rows) => rows.map(viewOf));
    },
  }),

  operation('GET /logs/:id', {
    summary: 'Get an audit log entry',
    role: 'viewer',
    status: 200,
    returns: Log,
    errors: ['entity.not_exists_with_id'],
    run: async ({ params, store }) => viewOf(await store.get('auditLog', params)),
  }),
];
