import { organizationRoles, organizations } from './organization-samples.ts';
import { at, none, type Samples, sending } from './sample.ts';
import { CONNECTOR, IMAGE, SCRIPT, type World } from './world.ts';

const HOOK = { url: 'https://receiver.example/hook' };
const user = ({ user: userId }: World) => ({ userId });
const session = (w: World) => ({ ...user(w), sessionId: w.session });
const role = ({ role: id }: World) => ({ id });
const resource = ({ resource: id }: World) => ({ id });
const scope = ({ resource: resourceId, scope: scopeId }: World) => ({ resourceId, scopeId });
const application = ({ application: id }: World) => ({ id });
const machine = ({ machine: id }: World) => ({ id });
const hook = ({ hook: id }: World) => ({ id });
const delivery = ({ hook: id, delivery: deliveryId }: World) => ({ id, deliveryId });
const connector = ({ connector: id }: World) => ({ id });
const script = { tokenTypePath: 'client-credentials' };

const users: Samples = {
  'GET /users': (w) => ({ query: { excludeRoleId: w.role } }),
  'POST /users': () => ({
    body: { username: 'erin', primaryEmail: 'Erin@Example.com', profile: { givenName: 'Erin' } },
  }),
  'GET /users/:userId': (w) => ({ params: user(w), query: { includeSsoIdentities: 'true' } }),
  'PATCH /users/:userId': sending(user, () => ({ name: 'Carol' })),
  'PATCH /users/:userId/is-suspended': sending(user, () => ({ isSuspended: true })),
  'DELETE /users/:userId': at(user),
  'PATCH /users/:userId/custom-data': sending(user, () => ({ customData: { level: 3 } })),
  'PATCH /users/:userId/profile': sending(user, () => ({ profile: { nickname: 'Caz' } })),
  'PATCH /users/:userId/password': sending(user, () => ({ password: 'staple battery' })),
  'POST /users/:userId/password/verify': sending(user, () => ({ password: 'correct horse' })),
  'GET /users/:userId/has-password': at(user),
  'GET /users/:userId/roles': at(user),
  'POST /users/:userId/roles': sending(user, (w) => ({ roleIds: [w.role, w.spareRole] })),
  'PUT /users/:userId/roles': sending(user, (w) => ({ roleIds: [w.spareRole] })),
  'DELETE /users/:userId/roles/:roleId': at((w) => ({ ...user(w), roleId: w.role })),
  'GET /users/:userId/scopes': at(user),
  'POST /users/:userId/identities/:target': sending(
    (w) => ({ ...user(w), target: 'github' }),
    () => ({ userId: 'gh-1', details: {} }),
  ),
  'DELETE /users/:userId/identities/:target': at((w) => ({ ...user(w), target: 'google' })),
  'GET /users/:userId/custom-data': at(user),
  'GET /users/:userId/organizations': at(user),
  'GET /users/:userId/sessions': at(user),
  'GET /users/:userId/sessions/:sessionId': at(session),
  'DELETE /users/:userId/sessions/:sessionId': (w) => ({ params: session(w), query: { revokeGrantsTarget: 'all' } }),
  'GET /users/:userId/grants': (w) => ({ params: user(w), query: { appType: 'firstParty' } }),
  'DELETE /users/:userId/grants/:grantId': at((w) => ({ ...user(w), grantId: w.grant })),
  'GET /users/:userId/mfa-verifications': at(user),
  'POST /users/:userId/mfa-verifications': sending(user, () => ({ type: 'BackupCode' })),
  'DELETE /users/:userId/mfa-verifications/:verificationId': at((w) => ({ ...user(w), verificationId: w.factor })),
};

const roles: Samples = {
  'GET /roles': (w) => ({ query: { excludeUserId: w.user } }),
  'POST /roles': (w) => ({ body: { name: 'Cook', description: 'Cooks', scopeIds: [w.scope] } }),
  'GET /roles/:id': at(role),
  'PATCH /roles/:id': sending(role, () => ({ isDefault: true })),
  'DELETE /roles/:id': at(role),
  'GET /roles/:id/scopes': at(role),
  'POST /roles/:id/scopes': sending(role, (w) => ({ scopeIds: [w.spareScope] })),
  'DELETE /roles/:id/scopes/:scopeId': at((w) => ({ ...role(w), scopeId: w.scope })),
  'GET /roles/:id/users': at(role),
  'POST /roles/:id/users': sending(role, (w) => ({ userIds: [w.spareUser] })),
  'DELETE /roles/:id/users/:userId': at((w) => ({ ...role(w), ...user(w) })),
  'GET /roles/:id/applications': at((w) => ({ id: w.machineRole })),
  'POST /roles/:id/applications': sending(
    (w) => ({ id: w.machineRole }),
    (w) => ({ applicationIds: [w.spareMachine] }),
  ),
  'DELETE /roles/:id/applications/:applicationId': at((w) => ({ id: w.machineRole, applicationId: w.machine })),
  'GET /resources': () => ({ query: { includeScopes: 'true' } }),
  'POST /resources': () => ({ body: { name: 'Mail', indicator: 'https://mail.example/api' } }),
  'GET /resources/:id': at(resource),
  'PATCH /resources/:id': sending(resource, () => ({ name: 'Bills', accessTokenTtl: 600 })),
  'PATCH /resources/:id/is-default': sending(resource, () => ({ isDefault: true })),
  'DELETE /resources/:id': at(resource),
  'GET /resources/:resourceId/scopes': at((w) => ({ resourceId: w.resource })),
  'POST /resources/:resourceId/scopes': sending(
    (w) => ({ resourceId: w.resource }),
    () => ({ name: 'pay:bills', description: 'Pays' }),
  ),
  'PATCH /resources/:resourceId/scopes/:scopeId': sending(scope, () => ({ description: 'Reads bills' })),
  'DELETE /resources/:resourceId/scopes/:scopeId': at(scope),
};

const applications: Samples = {
  'GET /applications': (w) => ({ query: { excludeRoleId: w.machineRole, types: 'SPA', isThirdParty: 'false' } }),
  'POST /applications': () => ({ body: { name: 'Till', type: 'Traditional' } }),
  'GET /applications/:id': at(application),
  'PATCH /applications/:id': sending(application, () => ({ customClientMetadata: { allowTokenExchange: true } })),
  'PATCH /applications/:id/custom-data': sending(application, () => ({ desk: 4 })),
  'GET /applications/:id/organizations': at(machine),
  'DELETE /applications/:id': at(application),
  'GET /applications/:id/secrets': at(machine),
  'POST /applications/:id/secrets': sending(machine, () => ({ name: 'second', expiresAt: 4_000_000_000_000 })),
  'PATCH /applications/:id/secrets/:name': sending(
    (w) => ({ ...machine(w), name: 'main' }),
    () => ({ name: 'first' }),
  ),
  'DELETE /applications/:id/secrets/:name': at((w) => ({ ...machine(w), name: 'main' })),
  'GET /applications/:id/roles': at(machine),
  'POST /applications/:id/roles': sending(machine, (w) => ({ roleIds: [w.spareMachineRole] })),
  'PUT /applications/:id/roles': sending(machine, (w) => ({ roleIds: [w.spareMachineRole] })),
  'DELETE /applications/:id/roles/:roleId': at((w) => ({ ...machine(w), roleId: w.machineRole })),
};

const impersonation: Samples = {
  'POST /subject-tokens': (w) => ({
    body: {
      userId: w.user,
      clientId: w.application,
      actorId: w.spareUser,
      resource: w.indicator,
      context: { ticketId: 'T-2' },
    },
  }),
  'GET /subject-tokens': (w) => ({ query: { userId: w.user } }),
  'DELETE /subject-tokens/:id': at((w) => ({ id: w.subjectToken })),
  'GET /impersonations': (w) => ({ query: { subjectId: w.user, applicationId: w.application } }),
  'GET /impersonations/:id': at((w) => ({ id: w.impersonation })),
  'POST /impersonations/revoke': (w) => ({ body: { subjectId: w.user } }),
  'POST /impersonations/:id/revoke': at((w) => ({ id: w.impersonation })),
  'GET /configs/impersonation': none,
  'PATCH /configs/impersonation': (w) => ({ body: { requireActor: true, protectedRoleIds: [w.role] } }),
  'GET /configs/sandbox': none,
  'PATCH /configs/sandbox': () => ({ body: { timeoutMs: 500 } }),
};

const scripts: Samples = {
  'GET /configs/jwt-customizer': none,
  'GET /configs/jwt-customizer/types': none,
  'GET /configs/jwt-customizer/:tokenTypePath': () => ({ params: script }),
  'PUT /configs/jwt-customizer/:tokenTypePath': () => ({ params: script, body: { script: SCRIPT } }),
  'PATCH /configs/jwt-customizer/:tokenTypePath': () => ({
    params: script,
    body: { script: SCRIPT, recordInputs: true },
  }),
  'DELETE /configs/jwt-customizer/:tokenTypePath': () => ({ params: script }),
  'POST /configs/jwt-customizer/test': () => ({
    body: { tokenType: 'access-token', script: SCRIPT, token: {}, context: {} },
  }),
  'POST /configs/jwt-customizer/trial': () => ({
    body: { tokenType: 'access-token', script: SCRIPT, token: {}, context: {} },
  }),
  'POST /configs/jwt-customizer/check': () => ({ body: { script: SCRIPT } }),
  'GET /configs/jwt-customizer/:tokenTypePath/versions': () => ({ params: script }),
  'GET /configs/jwt-customizer/:tokenTypePath/versions/:version': () => ({ params: { ...script, version: '1' } }),
  'POST /configs/jwt-customizer/:tokenTypePath/versions/:version/activate': () => ({
    params: { ...script, version: '1' },
  }),
  'GET /configs/jwt-customizer/:tokenTypePath/runs': () => ({ params: script }),
  'GET /configs/jwt-customizer/:tokenTypePath/runs/:runId': (w) => ({ params: { ...script, runId: w.run } }),
};

const hooks: Samples = {
  'GET /hooks': () => ({ query: { includeExecutionStats: 'true' } }),
  'POST /hooks': () => ({ body: { name: 'Mine', events: ['Role.Created'], config: HOOK, enabled: false } }),
  'GET /hooks/:id': (w) => ({ params: hook(w), query: { includeExecutionStats: 'true' } }),
  'PATCH /hooks/:id': sending(hook, () => ({ name: 'Renamed' })),
  'PATCH /hooks/:id/signing-key': sending(hook, () => ({ overlapHours: 1 })),
  'DELETE /hooks/:id': at(hook),
  'POST /hooks/:id/test': sending(hook, (w) => ({ events: ['User.Created'], config: { url: w.receiver } })),
  'GET /hooks/:id/recent-logs': at(hook),
  'GET /hooks/:id/deliveries': at(hook),
  'GET /hooks/:id/delivery-feed': at(hook),
  'GET /delivery-feed': () => ({}),
  'GET /hooks/:id/health': at(hook),
  'POST /hooks/:id/resume': at(hook),
  'GET /hooks/:id/deliveries/:deliveryId': at(delivery),
  'POST /hooks/:id/deliveries/:deliveryId/redeliver': at(delivery),
  'POST /hooks/:id/replay': sending(hook, () => ({ since: 0, dryRun: true })),
  'GET /hooks/:id/replays/:replayId': at((w) => ({ ...hook(w), replayId: w.replay })),
  'DELETE /hooks/:id/replays/:replayId': at((w) => ({ ...hook(w), replayId: w.replay })),
  'GET /logs': (w) => ({ query: { userId: w.user, logKey: 'Management.POST /users' } }),
  'GET /logs/:id': (w) => ({ params: { id: w.log } }),
  'GET /overview': () => ({ query: { range: '7d' } }),
  'GET /search': (w) => ({ query: { q: w.user } }),
  'GET /configs/getting-started': none,
  'PATCH /configs/getting-started': () => ({ body: { isHidden: true } }),
};

const keys: Samples = {
  'GET /configs/oidc/private-keys': none,
  'POST /configs/oidc/private-keys/rotate': () => ({ body: { immediately: true } }),
  'DELETE /configs/oidc/private-keys/:keyId': at((w) => ({ keyId: w.nextKey })),
  'GET /configs/oidc/key-rotation': none,
  'PATCH /configs/oidc/key-rotation': () => ({ body: { rotationDays: 90 } }),
};

const signIn: Samples = {
  'GET /sign-in-exp': none,
  'PATCH /sign-in-exp': () => ({ body: { brandName: 'Acme' } }),
  'PUT /sign-in-exp/images/:name': () => ({ params: { name: 'logo' }, body: { content: IMAGE } }),
  'DELETE /sign-in-exp/images/:name': () => ({ params: { name: 'favicon' } }),
  'GET /connectors': none,
  'POST /connectors': () => ({ body: { ...CONNECTOR, target: 'okta' } }),
  'GET /connectors/:id': at(connector),
  'PATCH /connectors/:id': sending(connector, () => ({ name: 'Google Workspace' })),
  'DELETE /connectors/:id': at(connector),
};

/** All samples by route. An operation without one fails the tests. */
export const samples: Samples = {
  ...users,
  ...roles,
  ...organizations,
  ...organizationRoles,
  ...applications,
  ...impersonation,
  ...scripts,
  ...hooks,
  ...keys,
  ...signIn,
};
