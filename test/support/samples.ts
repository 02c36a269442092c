import { SCRIPT, type World } from './world.ts';

/** A call that succeeds in a world. Whatever in it is an id of that world is tried with another tenant's. */
export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

type Samples = Record<string, (world: World) => Sample>;

const HOOK = { url: 'https://receiver.example/hook' };
const user = ({ user: userId }: World) => ({ userId });
const role = ({ role: id }: World) => ({ id });
const resource = ({ resource: id }: World) => ({ id });
const scope = ({ resource: resourceId, scope: scopeId }: World) => ({ resourceId, scopeId });
const organization = ({ organization: id }: World) => ({ id });
const organizationRole = ({ organizationRole: id }: World) => ({ id });
const organizationScope = ({ organizationScope: id }: World) => ({ id });
const member = ({ organization: id, user: userId }: World) => ({ id, userId });
const machineMember = ({ organization: id, machine: applicationId }: World) => ({ id, applicationId });
const application = ({ application: id }: World) => ({ id });
const machine = ({ machine: id }: World) => ({ id });
const hook = ({ hook: id }: World) => ({ id });
const script = { tokenTypePath: 'client-credentials' };

/** A sample that needs nothing but the ids in its path. */
const at = (params: (world: World) => Record<string, string>) => (world: World) => ({ params: params(world) });
const sending =
  (params: (world: World) => Record<string, string>, body: (world: World) => unknown) => (world: World) => ({
    params: params(world),
    body: body(world),
  });
const none = () => ({});

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
  'POST /users/:userId/identities/:target': sending(
    (w) => ({ ...user(w), target: 'github' }),
    () => ({ userId: 'gh-1', details: {} }),
  ),
  'DELETE /users/:userId/identities/:target': at((w) => ({ ...user(w), target: 'google' })),
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

const organizations: Samples = {
  'GET /organizations': () => ({ query: { q: 'acme' } }),
  'POST /organizations': () => ({ body: { name: 'Globex' } }),
  'GET /organizations/:id': at(organization),
  'PATCH /organizations/:id': sending(organization, () => ({ customData: { size: 3 } })),
  'DELETE /organizations/:id': at(organization),
  'GET /organizations/:id/users': at(organization),
  'POST /organizations/:id/users': sending(organization, (w) => ({ userIds: [w.spareUser] })),
  'PUT /organizations/:id/users': sending(organization, (w) => ({ userIds: [w.spareUser] })),
  'DELETE /organizations/:id/users/:userId': at(member),
  'POST /organizations/:id/users/roles': sending(organization, (w) => ({
    userIds: [w.user],
    organizationRoleIds: [w.spareOrganizationRole],
  })),
  'GET /organizations/:id/users/:userId/roles': at(member),
  'POST /organizations/:id/users/:userId/roles': sending(member, (w) => ({
    organizationRoleIds: [w.spareOrganizationRole],
  })),
  'PUT /organizations/:id/users/:userId/roles': sending(member, (w) => ({
    organizationRoleIds: [w.spareOrganizationRole],
  })),
  'DELETE /organizations/:id/users/:userId/roles/:organizationRoleId': at((w) => ({
    ...member(w),
    organizationRoleId: w.organizationRole,
  })),
  'GET /organizations/:id/users/:userId/scopes': at(member),
  'GET /organizations/:id/applications': at(organization),
  'POST /organizations/:id/applications': sending(organization, (w) => ({ applicationIds: [w.spareMachine] })),
  'PUT /organizations/:id/applications': sending(organization, (w) => ({ applicationIds: [w.spareMachine] })),
  'DELETE /organizations/:id/applications/:applicationId': at(machineMember),
  'POST /organizations/:id/applications/roles': sending(organization, (w) => ({
    applicationIds: [w.machine],
    organizationRoleIds: [w.machineOrganizationRole],
  })),
  'GET /organizations/:id/applications/:applicationId/roles': at(machineMember),
  'POST /organizations/:id/applications/:applicationId/roles': sending(machineMember, (w) => ({
    organizationRoleIds: [w.machineOrganizationRole],
  })),
  'PUT /organizations/:id/applications/:applicationId/roles': sending(machineMember, () => ({
    organizationRoleIds: [],
  })),
  'DELETE /organizations/:id/applications/:applicationId/roles/:organizationRoleId': at((w) => ({
    ...machineMember(w),
    organizationRoleId: w.machineOrganizationRole,
  })),
  'GET /organizations/:id/applications/:applicationId/scopes': at(machineMember),
};

const organizationRoles: Samples = {
  'GET /organization-roles': none,
  'POST /organization-roles': (w) => ({
    body: { name: 'Owner', organizationScopeIds: [w.organizationScope], resourceScopeIds: [w.scope] },
  }),
  'GET /organization-roles/:id': at(organizationRole),
  'PATCH /organization-roles/:id': sending(organizationRole, () => ({ description: 'Belongs' })),
  'DELETE /organization-roles/:id': at(organizationRole),
  'GET /organization-roles/:id/scopes': at(organizationRole),
  'POST /organization-roles/:id/scopes': sending(organizationRole, (w) => ({
    organizationScopeIds: [w.spareOrganizationScope],
  })),
  'PUT /organization-roles/:id/scopes': sending(organizationRole, (w) => ({
    organizationScopeIds: [w.spareOrganizationScope],
  })),
  'DELETE /organization-roles/:id/scopes/:organizationScopeId': at((w) => ({
    ...organizationRole(w),
    organizationScopeId: w.organizationScope,
  })),
  'GET /organization-roles/:id/resource-scopes': at(organizationRole),
  'POST /organization-roles/:id/resource-scopes': sending(organizationRole, (w) => ({ scopeIds: [w.spareScope] })),
  'PUT /organization-roles/:id/resource-scopes': sending(organizationRole, (w) => ({ scopeIds: [w.spareScope] })),
  'DELETE /organization-roles/:id/resource-scopes/:scopeId': at((w) => ({ ...organizationRole(w), scopeId: w.scope })),
  'GET /organization-scopes': none,
  'POST /organization-scopes': () => ({ body: { name: 'promote' } }),
  'GET /organization-scopes/:id': at(organizationScope),
  'PATCH /organization-scopes/:id': sending(organizationScope, () => ({ description: 'Invites' })),
  'DELETE /organization-scopes/:id': at(organizationScope),
};

const applications: Samples = {
  'GET /applications': (w) => ({ query: { excludeRoleId: w.machineRole } }),
  'POST /applications': () => ({ body: { name: 'Till', type: 'Native' } }),
  'GET /applications/:id': at(application),
  'PATCH /applications/:id': sending(application, () => ({ customClientMetadata: { allowTokenExchange: true } })),
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
  'POST /impersonations/:id/revoke': at((w) => ({ id: w.impersonation })),
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
  'GET /configs/jwt-customizer/:tokenTypePath/versions': () => ({ params: script }),
  'GET /configs/jwt-customizer/:tokenTypePath/versions/:version': () => ({ params: { ...script, version: '1' } }),
  'POST /configs/jwt-customizer/:tokenTypePath/versions/:version/activate': () => ({
    params: { ...script, version: '1' },
  }),
  'GET /configs/jwt-customizer/:tokenTypePath/runs': () => ({ params: script }),
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
  'GET /logs': (w) => ({ query: { userId: w.user, logKey: 'Management.POST /users' } }),
  'GET /logs/:id': (w) => ({ params: { id: w.log } }),
};

/** By route. A row of the Management API without one fails the suite. */
export const samples: Samples = {
  ...users,
  ...roles,
  ...organizations,
  ...organizationRoles,
  ...applications,
  ...impersonation,
  ...scripts,
  ...hooks,
};
