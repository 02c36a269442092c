import Type, { type Static } from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { SubjectTokenRow } from '../../database/tables/index.ts';
import { Id, JsonObject, Nullable, Owned, Timestamp } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { authorOf, operation } from '../../http/operations/operation.ts';
import { mintSubjectToken } from '../../tokens/exchange/subject-tokens.ts';
import { invalidBody, optional } from '../shared/fields.ts';
import { list, mapped, newestFirst } from '../shared/listing.ts';

/** Largest context, as JSON. */
const MAX_CONTEXT_BYTES = 16 * 1024;

const MintSubjectToken = Type.Object({
  userId: Id,
  context: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: `Passed to the claims script and kept for the audit trail; at most ${MAX_CONTEXT_BYTES / 1024} KiB as JSON`,
      examples: [{ ticketId: 'TICKET-7', reason: 'The order page is empty', supportEngineerId: 'x7k2m9q4w1ab' }],
    }),
  ),
  clientId: Type.Optional(Type.String({ ...Id, description: 'Only this application can exchange the token' })),
  actorId: Type.Optional(Type.String({ ...Id, description: 'Only this user can be the actor' })),
  resource: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: 'The token can only be exchanged for this resource' }),
  ),
});

const SubjectToken = Type.Object({
  ...Owned,
  userId: Type.String(),
  creatorId: Type.String({ description: 'The application that created the token' }),
  context: JsonObject,
  clientId: Nullable(Type.String()),
  actorId: Nullable(Type.String()),
  resource: Nullable(Type.String()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  consumedAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
});

/** Returns a subject token as the API shows it. The API keeps the older name `consumedAt`. */
const viewOf = ({ spentAt, tokenHash: _, ...row }: SubjectTokenRow) => ({ ...row, consumedAt: spentAt });

/** Each token is in exactly one of these states. */
const states = (now: number): Record<string, Condition> => ({
  active: (token) => token.where({ spentAt: null, revokedAt: null }).where('expiresAt', '>', now),
  spent: (token) => token.whereNotNull('spentAt'),
  revoked: (token) => token.where({ spentAt: null }).whereNotNull('revokedAt'),
  expired: (token) => token.where({ spentAt: null, revokedAt: null }).where('expiresAt', '<=', now),
});

/** A token bound to an item that does not exist could never be exchanged. @throws 404 */
async function requireBound(store: TenantStore, { clientId, actorId, resource }: Static<typeof MintSubjectToken>) {
  if (clientId !== undefined && !(await store.find('applications', { id: clientId })))
    throw foreignKeyNotFound('clientId');
  if (actorId !== undefined && !(await store.find('users', { id: actorId }))) throw foreignKeyNotFound('actorId');
  if (resource !== undefined && !(await store.find('resources', { indicator: resource })))
    throw foreignKeyNotFound('resource');
}

/** Returns the fields of a context that the audit log keeps: reason and ticket id. The other fields are arbitrary. */
const reasonOf = ({ reason, ticketId }: Record<string, unknown> = {}) => ({ reason, ticketId });

export const subjectTokens = [
  operation('POST /subject-tokens', {
    summary: 'Create a single-use subject token that starts an impersonation',
    role: 'support',
    status: 201,
    body: MintSubjectToken,
    rateLimit: 'subject-tokens',
    returns: Type.Object({
      subjectToken: Type.String({ examples: ['sub_3n0Rk9m2Qe7yVx1bTz8WcHdFgJpLsUaI4oX6iMhB5kE'] }),
      expiresIn: Type.Integer({ description: 'Seconds', examples: [600] }),
    }),
    errors: ['entity.relation_foreign_key_not_found', 'user.suspended', 'request.rate_limited'],
    async run({ body, caller, store, now }) {
      if (Buffer.byteLength(JSON.stringify(body.context ?? {})) > MAX_CONTEXT_BYTES)
        throw invalidBody(`body.context: must not be larger than ${MAX_CONTEXT_BYTES} bytes as JSON`);
      if (body.actorId === body.userId) throw invalidBody('body.actorId: must be another user than userId');
      await requireBound(store, body);
      return mintSubjectToken(store, { ...body, creatorId: authorOf(caller) }, now);
    },
    audit: (_, { body }) => ({ userId: body.userId, actorId: body.actorId, ...reasonOf(body.context) }),
  }),

  operation('GET /subject-tokens', {
    summary: 'List subject tokens, newest first',
    role: 'viewer',
    description: 'The token itself is never returned.',
    status: 200,
    query: optional({
      userId: Type.String(),
      applicationId: Type.String({ description: 'The application that created the token' }),
      state: Type.Enum(['active', 'spent', 'expired', 'revoked']),
    }),
    returns: Type.Array(SubjectToken),
    paginated: 'always',
    async run({ query: { userId, applicationId, state }, page, store, now }) {
      const rows = await list(store, 'subjectTokens', {
        page,
        order: newestFirst,
        where(tokens) {
          if (userId !== undefined) tokens.where({ userId });
          if (applicationId !== undefined) tokens.where({ creatorId: applicationId });
          if (state !== undefined) tokens.where((token) => states(now)[state]?.(token));
        },
      });
      return mapped(rows, async (rows) => rows.map(viewOf));
    },
  }),

  operation('DELETE /subject-tokens/:id', {
    summary: 'Revoke a subject token',
    role: 'support',
    description: 'If it is unspent, it can no longer be exchanged. Otherwise nothing changes.',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params, store, now }) {
      const token = await store.find('subjectTokens', params);
      if (!token) throw new ServiceError('entity.not_found');
      await store.change('subjectTokens', { ...params, spentAt: null, revokedAt: null }, { revokedAt: now });
      return token;
    },
    audit: ({ userId }) => ({ userId }),
  }),
];
