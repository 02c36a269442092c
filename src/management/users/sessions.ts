import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Nullable, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import {
  endOwnGrant,
  endSession,
  findSession,
  grantsOf,
  hasGrant,
  lockOwnSession,
  type Session,
  type SessionContext,
  sessionsOf,
  signInOf,
} from '../../oidc/user-sessions.ts';
import { optional } from '../shared/fields.ts';

const Seconds = Type.Integer({ description: 'Seconds since the epoch', examples: [1_735_689_600] });

const UserSession = Type.Object({
  payload: Type.Object({
    exp: Seconds,
    iat: Seconds,
    uid: Type.String({ description: 'The id of the session' }),
    kind: Type.String({ examples: ['Session'] }),
    loginTs: Seconds,
    accountId: Type.String(),
    authorizations: Type.Optional(
      Type.Record(Type.String(), Type.Object({ grantId: Type.Optional(Type.String()) }), {
        description: 'The grant of each application, by application id',
      }),
    ),
  }),
  lastSubmission: Nullable(
    Type.Object(
      {
        interactionEvent: Type.String({ examples: ['SignIn'] }),
        userId: Type.String(),
        verificationRecords: Type.Array(Type.Object({ type: Type.String() })),
      },
      { description: 'The sign-in that started the session' },
    ),
  ),
  clientId: Nullable(Type.String({ description: 'An application that the user signed in to with this session' })),
  accountId: Type.String(),
  expiresAt: Timestamp,
});

const UserGrant = Type.Object({
  id: Type.String(),
  payload: Type.Object({
    exp: Seconds,
    iat: Seconds,
    jti: Type.String(),
    kind: Type.String({ examples: ['Grant'] }),
    clientId: Type.String(),
    accountId: Type.String(),
  }),
  expiresAt: Timestamp,
  application: Type.Object({ id: Type.String(), name: Type.String() }),
});

async function viewOf(context: SessionContext, session: Session) {
  const { accountId, exp, authorizations = {} } = session;
  const [clientId = null] = Object.keys(authorizations);
  const lastSubmission = (await signInOf(context, session)) ?? null;
  return { payload: session, lastSubmission, clientId, accountId, expiresAt: exp * 1000 };
}

/** @throws 404 `entity.not_found`, also for a session of another user */
async function requireSession(
  context: SessionContext,
  userId: string,
  uid: string,
  find = findSession,
): Promise<Session> {
  const session = await find(context, userId, uid);
  if (!session) throw new ServiceError('entity.not_found');
  return session;
}

/** Returns the applications with these ids, without deleted ones and the service's own pages, which have no row. */
async function applicationsOf(store: TenantStore, ids: readonly string[]) {
  const rows = await store.from('applications').whereIn('id', ids).select('id', 'name', 'isThirdParty');
  return new Map(rows.map((row) => [row.id, row]));
}

async function grantIdsOf(store: TenantStore, { authorizations = {} }: Session, isFirstPartyOnly: boolean) {
  const applications = await applicationsOf(store, Object.keys(authorizations));
  return Object.entries(authorizations).flatMap(([clientId, { grantId }]) =>
    grantId === undefined || (isFirstPartyOnly && applications.get(clientId)?.isThirdParty) ? [] : [grantId],
  );
}

export const userSessions = [
  operation('GET /users/:userId/sessions', {
    summary: 'List the sessions of a user, the one used last first',
    role: 'viewer',
    description: 'A session is one browser in which the user is signed in.',
    status: 200,
    returns: Type.Object({ sessions: Type.Array(UserSession) }),
    paginated: 'optional',
    errors: ['entity.not_found'],
    async run({ params: { userId }, page, ...context }) {
      await context.store.get('users', { id: userId });
      const { rows, total } = await sessionsOf(context, userId, page);
      return { rows: { sessions: await Promise.all(rows.map((session) => viewOf(context, session))) }, total };
    },
  }),

  operation('GET /users/:userId/sessions/:sessionId', {
    summary: 'Get a session of a user',
    role: 'viewer',
    status: 200,
    returns: UserSession,
    errors: ['entity.not_found'],
    run: async ({ params: { userId, sessionId }, ...context }) =>
      viewOf(context, await requireSession(context, userId, sessionId)),
  }),

  operation('DELETE /users/:userId/sessions/:sessionId', {
    summary: 'End a session of a user',
    role: 'support',
    description:
      'Signs the user out in one browser and ends the grants of the session, with every token issued under them. `revokeGrantsTarget=firstParty` keeps the grants of third-party applications. If the user is an administrator, every console session of theirs ends too.',
    status: 204,
    query: optional({ revokeGrantsTarget: Type.Enum(['all', 'firstParty']) }),
    errors: ['entity.not_found'],
    async run({ params: { userId, sessionId }, query: { revokeGrantsTarget = 'all' }, ...context }) {
      const session = await requireSession(context, userId, sessionId, lockOwnSession);
      const grantIds = await grantIdsOf(context.store, session, revokeGrantsTarget === 'firstParty');
      await endSession(context, session);
      for (const grantId of grantIds) await endOwnGrant(context, grantId);
      return { grantIds };
    },
    audit: ({ grantIds }) => ({ grantIds }),
  }),

  operation('GET /users/:userId/grants', {
    summary: 'List the grants of a user to applications, newest first',
    role: 'viewer',
    status: 200,
    query: optional({ appType: Type.Enum(['firstParty', 'thirdParty']) }),
    returns: Type.Object({ grants: Type.Array(UserGrant) }),
    paginated: 'optional',
    errors: ['entity.not_found'],
    async run({ params: { userId }, query: { appType }, page, ...context }) {
      const { store } = context;
      await store.get('users', { id: userId });
      const applicationIds = store.from('applications').select('id');
      if (appType) applicationIds.where({ isThirdParty: appType === 'thirdParty' });
      const { rows, total } = await grantsOf(context, userId, applicationIds, page);
      const applications = await applicationsOf(store, [...new Set(rows.map(({ clientId }) => clientId))]);
      const grants = rows.flatMap((grant) => {
        const application = applications.get(grant.clientId);
        return application ? [{ id: grant.jti, payload: grant, expiresAt: grant.exp * 1000, application }] : [];
      });
      return { rows: { grants }, total };
    },
  }),

  operation('DELETE /users/:userId/grants/:grantId', {
    summary: 'End a grant of a user, with every token issued under it',
    role: 'support',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params: { userId, grantId }, ...context }) {
      if (!(await hasGrant(context, userId, grantId))) throw new ServiceError('entity.not_found');
      await endOwnGrant(context, grantId);
    },
  }),
];
