import Type from 'typebox';
import { Id, JsonObject, Nullable, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { ImpersonationPolicy, readImpersonationPolicy } from '../../tokens/exchange/impersonation-policy.ts';
import { endedBy, endImpersonations } from '../../tokens/revocation/end-access.ts';
import { optional, requireExisting, requireOrder } from '../shared/fields.ts';
import { byId, byTime, containing, list, Order, TextIn } from '../shared/listing.ts';
import { serialize } from '../shared/serialize.ts';

const Impersonation = Type.Object({
  tenantId: Type.String(),
  id: Type.String({ description: 'The `jti` of the issued token' }),
  subjectTokenId: Type.String(),
  subjectId: Type.String(),
  actorId: Nullable(Type.String()),
  applicationId: Type.String(),
  resource: Nullable(Type.String()),
  organizationId: Nullable(Type.String()),
  scope: Type.String(),
  context: JsonObject,
  ip: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  issuedAt: Timestamp,
  expiresAt: Timestamp,
  revokedAt: Nullable(Timestamp),
  revokedBy: Nullable(Type.String({ description: 'The application that revoked it' })),
});

export const impersonations = [
  operation('GET /impersonations', {
    summary: 'List impersonations, newest first',
    role: 'viewer',
    description: 'Each issued token is one impersonation.',
    status: 200,
    query: optional({
      subjectId: Type.String(),
      actorId: Type.String(),
      applicationId: Type.String(),
      active: Type.Boolean({ description: 'Neither expired nor revoked' }),
      start_time: Timestamp,
      end_time: Timestamp,
      q: TextIn('the context (reason, ticket), scope or IP address of an impersonation'),
      order: Order,
    }),
    returns: Type.Array(Impersonation),
    paginated: 'always',
    errors: ['request.invalid_input'],
    async run({ query: { active, start_time: start, end_time: end, q: text, order, ...ids }, page, store, now }) {
      requireOrder(start, end);
      return list(store, 'impersonations', {
        page,
        order: byTime('issuedAt', order),
        amongNewest: text ? containing(store, ['context', 'scope', 'ip'], text) : undefined,
        where(impersonations) {
          impersonations.where(ids);
          if (start !== undefined) impersonations.where('issuedAt', '>=', start);
          if (end !== undefined) impersonations.where('issuedAt', '<=', end);
          if (active === true) impersonations.where({ revokedAt: null }).where('expiresAt', '>', now);
          if (active === false)
            impersonations.where((over) => over.whereNotNull('revokedAt').orWhere('expiresAt', '<=', now));
        },
      });
    },
  }),

  operation('GET /impersonations/:id', byId('impersonations', 'Get an impersonation', Impersonation)),

  operation('POST /impersonations/revoke', {
    summary: 'Revoke every impersonation of a user',
    role: 'support',
    description:
      'Also revokes the unspent subject tokens of the user, so that they cannot start another impersonation.',
    status: 200,
    body: Type.Object({ subjectId: Id }),
    returns: Type.Object({ impersonations: Type.Integer(), subjectTokens: Type.Integer() }),
    async run({ body: { subjectId }, caller, store, now }) {
      const unspent = { userId: subjectId, spentAt: null, revokedAt: null };
      const subjectTokens = await store.change('subjectTokens', unspent, { revokedAt: now });
      const impersonations = await endImpersonations(
        store,
        (one) => one.where({ subjectId }),
        endedBy(caller, 'revoked', now),
      );
      return { impersonations, subjectTokens };
    },
    audit: (ended, { body: { subjectId } }) => ({ userId: subjectId, ...ended }),
  }),

  operation('POST /impersonations/:id/revoke', {
    summary: 'Revoke an impersonation',
    role: 'support',
    description:
      'Its token becomes inactive. An impersonation that has already expired or been revoked does not change.',
    status: 204,
    errors: ['entity.not_exists'],
    async run({ params, caller, store, now }) {
      const impersonation = await store.find('impersonations', params);
      if (!impersonation) throw new ServiceError('entity.not_exists');
      await endImpersonations(store, (one) => one.where(params), endedBy(caller, 'revoked', now));
      return impersonation;
    },
    audit: ({ subjectId, actorId }) => ({ userId: subjectId, actorId: actorId ?? undefined }),
  }),

  operation('GET /configs/impersonation', {
    summary: 'Get the impersonation policy',
    role: 'viewer',
    status: 200,
    returns: ImpersonationPolicy,
    run: ({ store }) => readImpersonationPolicy(store),
  }),

  operation('PATCH /configs/impersonation', {
    summary: 'Update the impersonation policy',
    role: 'editor',
    roleInDefault: 'owner',
    description:
      'Applies from the next subject token and the next exchange, also to subject tokens that already exist.',
    status: 200,
    body: Type.Partial(ImpersonationPolicy),
    example: { subjectTokenTtl: 600, maxTokenTtl: 3_600, requireActor: true, requiredContextKeys: ['ticketId'] },
    returns: ImpersonationPolicy,
    errors: ['entity.invalid_input', 'entity.relation_foreign_key_not_found'],
    async run({ body, store }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      for (const member of ['protectedRoleIds', 'allowedActorRoleIds'] as const)
        await requireExisting(store, 'roles', { ids: body[member] ?? [], member });
      const applicationIds = body.allowedActorApplicationIds ?? [];
      await requireExisting(store, 'applications', { ids: applicationIds, member: 'allowedActorApplicationIds' });
      await serialize(store); // Concurrent changes of different fields are all kept.
      const policy = { ...(await readImpersonationPolicy(store)), ...body };
      await store.put('configs', { key: 'impersonation' }, { settings: policy });
      return policy;
    },
  }),
];
