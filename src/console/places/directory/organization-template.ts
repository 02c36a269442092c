import { html } from '../../../pages/html.ts';
import { type EntityPages, entityRoutes, matches } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts } from '../../parts/parts.ts';
import {
  assigneesOf,
  organizationScopeChoices,
  organizationScopeOf,
  ROLE_TYPES,
  scopeChoices,
  scopeOf,
} from './related-items.ts';

/** Roles and scopes that all organizations share. */

const organizationScopes: Relation<'/organization-roles/:id/scopes'> = {
  list: '/organization-roles/:id/scopes',
  remove: 'DELETE /organization-roles/:id/scopes/:organizationScopeId',
  title: 'Organization scopes',
  itemOf: organizationScopeOf,
  choices: organizationScopeChoices,
  empty: 'No organization scopes yet.',
};

const resourceScopes: Relation<'/organization-roles/:id/resource-scopes'> = {
  list: '/organization-roles/:id/resource-scopes',
  remove: 'DELETE /organization-roles/:id/resource-scopes/:scopeId',
  title: 'Resource scopes',
  itemOf: scopeOf,
  choices: scopeChoices,
  empty: 'No resource scopes yet.',
};

const organizationRolePages: EntityPages<'/organization-roles/:id'> = {
  path: '/directory/organization-roles',
  entity: '/organization-roles/:id',
  singular: 'organization role',
  plural: 'Organization roles',
  lead: 'Roles for members of an organization. All organizations share them.',
  searchQuery: matches,
  columns: () => [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Assigned to', cell: assigneesOf },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', isOptional: true },
    { name: 'type', label: 'Assigned to', kind: 'choice', on: 'create', options: ROLE_TYPES },
  ],
  show: async (request, role) => html`${facts([
    ['Description', role.description],
    ['Assigned to', assigneesOf(role)],
    ['ID', copyable(role.id)],
  ])}
${await relationSection(organizationScopes, request)}
${await relationSection(resourceScopes, request)}`,
  deleteWarning: 'Every member with this role loses it.',
  routes: [organizationScopes, resourceScopes].flatMap(relationRoutes),
};

const organizationScopePages: EntityPages<'/organization-scopes/:id'> = {
  path: '/directory/organization-scopes',
  entity: '/organization-scopes/:id',
  singular: 'organization scope',
  plural: 'Organization scopes',
  lead: 'Permissions within an organization, such as inviting members.',
  searchQuery: matches,
  columns: () => [{ label: 'Description', cell: ({ description }) => description }],
  fields: [
    { name: 'name', label: 'Name', hint: 'No spaces. Example: invite:member.' },
    { name: 'description', label: 'Description', isOptional: true },
  ],
  show: (_, scope) =>
    facts([
      ['Description', scope.description],
      ['ID', copyable(scope.id)],
    ]),
  deleteWarning: 'It is removed from every organization role.',
};

export const organizationRoleRoutes = entityRoutes(organizationRolePages);
export const organizationScopeRoutes = entityRoutes(organizationScopePages);
