import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { OrganizationRow } from '../../database/tables/index.ts';
import { Organization } from '../../entities.ts';
import { type Listed, operation, type PageRequest } from '../../http/operations/operation.ts';
import { newestFirst } from '../shared/listing.ts';
import { APPLICATIONS, type MemberKind, organizationRolesIn, RolesOfMember, USERS } from '../shared/memberships.ts';

const OrganizationWithRoles = Type.Object({ ...Organization.properties, ...RolesOfMember });

/** Returns the organizations of a member with its roles in each, with three queries for any number of organizations. */
async function organizationsOf(
  store: TenantStore,
  kind: MemberKind,
  memberId: string,
  page: PageRequest | undefined,
): Promise<Listed<object>> {
  const memberships = () => store.from(kind.members).where({ [kind.column]: memberId });
  // Joined from the memberships to their organizations. Rejected: the reverse, for which SQLite reads every row of the
  // tenant.
  const joined = store.byIds('organizations', memberships().select('organizationId as id'));
  for (const { column, order } of newestFirst) joined.orderBy(`organizations.${column}`, order);
  if (page) joined.limit(page.limit).offset(page.offset);
  const [rows, [counted], roles] = await Promise.all([
    joined as unknown as Promise<OrganizationRow[]>,
    memberships().count({ total: '*' }),
    organizationRolesIn(store, kind, memberId),
  ]);
  return {
    rows: rows.map((organization) => ({ ...organization, organizationRoles: roles.get(organization.id) ?? [] })),
    total: Number((counted as { total: number }).total),
  };
}

export const memberOrganizations = [
  operation('GET /users/:userId/organizations', {
    summary: 'List the organizations of a user with their roles in each',
    status: 200,
    returns: Type.Array(OrganizationWithRoles),
    paginated: 'optional',
    errors: ['entity.not_found'],
    async run({ params: { userId }, page, store }) {
      await store.get('users', { id: userId });
      return organizationsOf(store, USERS, userId, page);
    },
  }),

  operation('GET /applications/:id/organizations', {
    summary: 'List the organizations of a machine-to-machine application with its roles in each',
    status: 200,
    returns: Type.Array(OrganizationWithRoles),
    paginated: 'optional',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, page, store }) {
      await store.get('applications', { id });
      return organizationsOf(store, APPLICATIONS, id, page);
    },
  }),
];
