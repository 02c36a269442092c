import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { OrganizationRole, Resource, Role, Scope } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { Organizations } from '../../tokens/resources/organizations.ts';
import { roleIdsOf } from '../../tokens/resources/resource-servers.ts';
import { withResources } from '../roles/scopes.ts';
import { byName, list } from '../shared/listing.ts';

const EffectiveScope = Type.Object({
  ...Type.Pick(Scope, ['id', 'name', 'description']).properties,
  resource: Type.Pick(Resource, ['id', 'name', 'indicator']),
  roles: Type.Array(Type.Pick(Role, ['id', 'name']), { description: 'Roles of the user that have the scope' }),
  organizationRoles: Type.Array(Type.Pick(OrganizationRole, ['id', 'name']), {
    description: 'Organization roles of the user that have the scope',
  }),
});

/** The two ways in which a user gets scopes: the roles, and the table of their scopes. */
const BY_ROLES = { roles: 'roles', scopes: 'roleScopes', column: 'roleId' } as const;
const BY_ORGANIZATION_ROLES = {
  roles: 'organizationRoles',
  scopes: 'organizationRoleResourceScopes',
  column: 'organizationRoleId',
} as const;
type Way = typeof BY_ROLES | typeof BY_ORGANIZATION_ROLES;

interface GivingRole {
  scopeId: string;
  id: string;
  name: string;
}

const scopeIdsOf = (store: TenantStore, { scopes, column }: Way, roleIds: string[]) =>
  store.from(scopes).whereIn(column, roleIds).select('scopeId');

/** Returns which of these roles have which of these scopes. */
async function rolesByScope(store: TenantStore, way: Way, roleIds: string[], scopeIds: string[]) {
  const { roles, scopes, column } = way;
  const rows = (await store
    .from(scopes)
    .join(store.rows(roles), `${roles}.id`, `${scopes}.${column}`)
    .whereIn(column, roleIds)
    .whereIn('scopeId', scopeIds)
    .orderBy(`${roles}.name`)
    .select('scopeId', `${roles}.id as id`, `${roles}.name as name`)) as unknown as GivingRole[];
  return Map.groupBy(rows, ({ scopeId }) => scopeId);
}

export const userScopes = [
  operation('GET /users/:userId/scopes', {
    summary: 'List the scopes that a user can get, with the roles that have them',
    role: 'viewer',
    description:
      'The scopes of resources that a token of the user can contain, unless the user is suspended. Roles in an organization that requires a second factor count only if the user has one.',
    status: 200,
    returns: Type.Array(EffectiveScope),
    paginated: 'optional',
    errors: ['entity.not_found'],
    async run({ params: { userId }, page, store }) {
      await store.get('users', { id: userId });
      const [roleIds, inOrganizations] = await Promise.all([
        roleIdsOf(store, userId),
        new Organizations(store).roleIdsOfUser(userId),
      ]);
      const organizationRoleIds = [...new Set(inOrganizations)];
      const { rows, total } = await list(store, 'scopes', {
        page,
        order: byName,
        where: (scopes) =>
          scopes.where((held) =>
            held
              .whereIn('id', scopeIdsOf(store, BY_ROLES, roleIds))
              .orWhereIn('id', scopeIdsOf(store, BY_ORGANIZATION_ROLES, organizationRoleIds)),
          ),
      });
      const ids = rows.map(({ id }) => id);
      const [scopes, roles, organizationRoles] = await Promise.all([
        withResources(store, rows),
        rolesByScope(store, BY_ROLES, roleIds, ids),
        rolesByScope(store, BY_ORGANIZATION_ROLES, organizationRoleIds, ids),
      ]);
      return {
        rows: scopes.map((scope) => ({
          ...scope,
          roles: roles.get(scope.id) ?? [],
          organizationRoles: organizationRoles.get(scope.id) ?? [],
        })),
        total,
      };
    },
  }),
];
