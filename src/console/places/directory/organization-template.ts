import { html } from '../../../pages/html.ts';
import { type Entity, type EntityPages, entityRoutes } from '../../entities/entity-pages.ts';
import {
  FIRST_PAGE,
  type RelatedItem,
  type Relation,
  relationRoutes,
  relationSection,
} from '../../entities/relations.ts';
import { copyable, facts } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import { assigneesOf, ROLE_TYPES, scopeChoices, scopeOf } from './related-items.ts';

/** Roles and scopes that all organizations share. */

const PATH = '/directory/organization-roles/:id';

const organizationScopeOf = ({ id, name, description }: Record<string, unknown>): RelatedItem => ({
  id: String(id),
  name: String(name),
  path: `/directory/organization-scopes/${id}`,
  about: (description as string | null) ?? undefined,
});

const organizationScopes: Relation = {
  entityPath: PATH,
  name: 'scopes',
  title: 'Organization scopes',
  list: '/organization-roles/:id/scopes',
  itemOf: () => organizationScopeOf,
  choices: async ({ perform }: ConsoleRequest, text: string) => {
    const query = { ...FIRST_PAGE, ...(text !== '' && { q: text }) };
    return (await perform<Entity[]>('GET /organization-scopes', { query })).value.map(organizationScopeOf);
  },
  add: '/organization-roles/:id/scopes',
  idsMember: 'organizationScopeIds',
  remove: '/organization-roles/:id/scopes/:organizationScopeId',
  idParameter: 'organizationScopeId',
  empty: 'No organization scopes yet.',
};

const resourceScopes: Relation = {
  entityPath: PATH,
  name: 'resource-scopes',
  title: 'Resource scopes',
  list: '/organization-roles/:id/resource-scopes',
  itemOf: () => scopeOf,
  choices: scopeChoices,
  add: '/organization-roles/:id/resource-scopes',
  idsMember: 'scopeIds',
  remove: '/organization-roles/:id/resource-scopes/:scopeId',
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
  searchQuery: (text) => ({ q: text }),
  columns: () => [
    { label: 'Description', cell: description },
    { label: 'Assigned to', cell: assigneesOf },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', isOptional: true },
    {
      name: 'type',
      label: 'Assigned to',
      kind: 'choice',
      on: 'create',
      options: ROLE_TYPES,
    },
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
  searchQuery: (text) => ({ q: text }),
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

export const organizationTemplateRoutes = [
  ...entityRoutes(organizationRolePages),
  ...entityRoutes(organizationScopePages),
];
