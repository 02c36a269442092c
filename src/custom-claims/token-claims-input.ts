import type { TenantStore } from '../database/tenant-store.ts';

interface RoleScope {
  roleId: string;
  roleName: string;
  roleDescription: string;
  scopeId: string | null;
  scopeName: string | null;
  scopeDescription: string | null;
  resourceId: string | null;
  resourceName: string | null;
  indicator: string | null;
}

/** Roles with their scopes and the resources of these, in one query. */
async function rolesOf(store: TenantStore, userId: string) {
  const rows = (await store
    .from('userRoles')
    .join(store.rows('roles'), 'roles.id', 'userRoles.roleId')
    .leftJoin(store.rows('roleScopes'), 'roleScopes.roleId', 'roles.id')
    .leftJoin(store.rows('scopes'), 'scopes.id', 'roleScopes.scopeId')
    .leftJoin(store.rows('resources'), 'resources.id', 'scopes.resourceId')
    .where({ userId })
    .select({
      roleId: 'roles.id',
      roleName: 'roles.name',
      roleDescription: 'roles.description',
      scopeId: 'scopes.id',
      scopeName: 'scopes.name',
      scopeDescription: 'scopes.description',
      resourceId: 'resources.id',
      resourceName: 'resources.name',
      indicator: 'resources.indicator',
    })) as unknown as RoleScope[];

  const byRole = Map.groupBy(rows, ({ roleId }) => roleId);
  return [...byRole.values()].map((ofRole) => {
    const [{ roleId, roleName, roleDescription } = {} as RoleScope] = ofRole;
    const scopes = ofRole
      .filter(({ scopeId }) => scopeId !== null)
      .map(({ scopeId, scopeName, scopeDescription, resourceId, resourceName, indicator }) => ({
        id: scopeId,
        name: scopeName,
        description: scopeDescription,
        resourceId,
        resource: { id: resourceId, name: resourceName, indicator },
      }));
    return { id: roleId, name: roleName, description: roleDescription, scopes };
  });
}

async function organizationsOf(store: TenantStore, userId: string) {
  const organizations = await store
    .from('organizationUsers')
    .join(store.rows('organizations'), 'organizations.id', 'organizationUsers.organizationId')
    .where({ userId })
    .select('organizations.id as id', 'organizations.name as name', 'organizations.description as description');
  const organizationRoles = await store
    .from('organizationUserRoles')
    .join(store.rows('organizationRoles'), 'organizationRoles.id', 'organizationUserRoles.organizationRoleId')
    .where({ userId })
    .select(
      'organizationUserRoles.organizationId as organizationId',
      'organizationRoles.id as roleId',
      'organizationRoles.name as roleName',
    );
  return { organizations, organizationRoles };
}

async function identitiesOf(store: TenantStore, userId: string) {
  const rows = await store.from('userIdentities').where({ userId }).select('*');
  const social = rows.filter(({ isSso }) => !isSso);
  return {
    identities: Object.fromEntries(
      social.map(({ target, externalId, details }) => [target, { userId: externalId, details }]),
    ),
    ssoIdentities: rows
      .filter(({ isSso }) => isSso)
      .map(({ target, externalId, details }) => ({ issuer: target, identityId: externalId, detail: details })),
  };
}

/** `context.user` of a script: what it may know of the person the token is for. Never a hash or a secret. */
export async function userContext(store: TenantStore, userId: string): Promise<Record<string, unknown>> {
  const [user, roles, organizations, identities, factors] = await Promise.all([
    store.get('users', { id: userId }),
    rolesOf(store, userId),
    organizationsOf(store, userId),
    identitiesOf(store, userId),
    store.from('userFactors').where({ userId }).select('id', 'type', 'createdAt', 'lastUsedAt'),
  ]);
  const { tenantId: _, passwordHash, ...fields } = user;
  return {
    ...fields,
    hasPassword: passwordHash !== null,
    ...identities,
    mfaVerificationFactors: factors,
    roles,
    ...organizations,
  };
}

/** `context.application`: without any secret. */
export async function applicationContext(store: TenantStore, id: string): Promise<Record<string, unknown>> {
  const { tenantId: _, ...application } = await store.get('applications', { id });
  return { ...application };
}

/** `context.organization`, when the token is for one. */
export async function organizationContext(store: TenantStore, id: string): Promise<Record<string, unknown>> {
  const { name, description, customData } = await store.get('organizations', { id });
  return { id, name, description, customData };
}
