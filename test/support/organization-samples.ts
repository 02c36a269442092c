import { at, none, type Samples, sending } from './sample.ts';
import type { World } from './world.ts';

const organization = ({ organization: id }: World) => ({ id });
const organizationRole = ({ organizationRole: id }: World) => ({ id });
const organizationScope = ({ organizationScope: id }: World) => ({ id });
const member = ({ organization: id, user: userId }: World) => ({ id, userId });
const machineMember = ({ organization: id, machine: applicationId }: World) => ({ id, applicationId });

export const organizations: Samples = {
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

export const organizationRoles: Samples = {
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
