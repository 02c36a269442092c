import type { AdministratorRole } from '../../src/base/administrator-role.ts';

const OWNER = [
  'POST /configs/oidc/private-keys/rotate',
  'DELETE /configs/oidc/private-keys/:keyId',
  'PATCH /configs/oidc/key-rotation',
  'GET /tenants',
  'POST /tenants',
  'GET /tenants/:id',
  'PATCH /tenants/:id',
  'DELETE /tenants/:id',
];

/** Only an owner may perform these in tenant `default`, whose sign-in pages administrators use. */
const OWNER_IN_DEFAULT = [
  'PATCH /sign-in-exp',
  'PUT /sign-in-exp/images/:name',
  'DELETE /sign-in-exp/images/:name',
  'POST /connectors',
  'PATCH /connectors/:id',
  'DELETE /connectors/:id',
  'PATCH /configs/impersonation',
];

const SUPPORT = [
  'POST /subject-tokens',
  'DELETE /subject-tokens/:id',
  'POST /impersonations/revoke',
  'POST /impersonations/:id/revoke',
  'DELETE /users/:userId/sessions/:sessionId',
  'DELETE /users/:userId/grants/:grantId',
];

/** The role that an operation takes, written down independently of the operations themselves. */
export function expectedRole(route: string, tenantId: string): AdministratorRole {
  if (OWNER.includes(route)) return 'owner';
  if (OWNER_IN_DEFAULT.includes(route)) return tenantId === 'default' ? 'owner' : 'editor';
  if (SUPPORT.includes(route)) return 'support';
  return route.startsWith('GET ') ? 'viewer' : 'editor';
}
