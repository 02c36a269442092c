import { html } from '../../../pages/html.ts';
import { type Entity, type EntityPages, entityRoutes, matches } from '../../entities/entity-pages.ts';
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

const ENTITY = '/organization-roles/:id';

const organizationScopes: Relation = {
  entity: ENTITY,
  name: 'scopes',
  title: 'Organization scopes',
  itemOf: () => organizationScopeOf,
  choices: organizationScopeChoices,
  idParameter: 'organizationScopeId',
  empty: 'No organization scopes yet.',
};

const resourceScopes: Relation = {
  entity: ENTITY,
  name: 'resource-scopes',
  title: 'Resource scopes',
  itemOf: () => scopeOf,
  choices: scopeChoices,
  idParameter: 'scopeId',
  empty: 'No resource scopes yet.',
};

const description = ({ description }: Entity) => description as string | null;

const organizationRolePages: EntityPages = {
  path: '/directory/organization-roles',
  list: '/organization-roles',
  item: '/organization-roles/:id',
  singular: 'organization role',
  plural: 'Organization roles',
  lead: 'Roles for members of an organization. All organizations share them.',
  searchQuery: matches,
  columns: () => [
    { label: 'Description', cell: description },
    { label: 'Assigned to', cell: assigneesOf },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', isOptional: true },
    { name: 'type', label: 'Assigned to', kind: 'choice', on: 'create', options: ROLE_TYPES },
  ],
  show: async (request, role) => html`${facts([
    ['Description', description(role)],
    ['Assigned to', assigneesOf(role)],
    ['ID', copyable(role.id)],
  ])}
${await relationSection(organizationScopes, request)}
${await relationSection(resourceScopes, request)}`,
  deleteWarning: 'Every member with this role loses it.',
  routes: [organizationScopes, resourceScopes].flatMap(relationRoutes),
};

const organizationScopePages: EntityPages = {
  path: '/directory/organization-scopes',
  list: '/organization-scopes',
  item: '/organization-scopes/:id',
  singular: 'organization scope',
  plural: 'Organization scopes',
  lead: 'Permissions within an organization, such as inviting members.',
  searchQuery: matches,
  columns: () => [{ label: 'Description', cell: description }],
  fields: [
    { name: 'name', label: 'Name', hint: 'No spaces. Example: invite:member.' },
    { name: 'description', label: 'Description', isOptional: true },
  ],
  show: (_, scope) =>
    facts([
      ['Description', description(scope)],
      ['ID', copyable(scope.id)],
    ]),
  deleteWarning: 'It is removed from every organization role.',
};

export const organizationRoleRoutes = entityRoutes(organizationRolePages);
export const organizationScopeRoutes = entityRoutes(organizationScopePages);
