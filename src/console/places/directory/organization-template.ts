import { html } from '../../../pages/html.ts';
import { type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { FIRST, type Joined, type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import { assigneesOf, ROLE_TYPES, scopeOf, scopes } from './choices.ts';

/** Roles and scopes that all organizations share. */

const OF = '/directory/organization-roles/:id';

const organizationScopeOf = ({ id, name, description }: Record<string, unknown>): Joined => ({
  id: String(id),
  name: String(name),
  path: `/directory/organization-scopes/${id}`,
  about: (description as string | null) ?? undefined,
});

const organizationScopes: Relation = {
  of: OF,
  name: 'scopes',
  title: 'Organization scopes',
  list: '/organization-roles/:id/scopes',
  joinedOf: () => organizationScopeOf,
  choices: async ({ perform }: ConsoleRequest, text: string) => {
    const query = { ...FIRST, ...(text !== '' && { q: text }) };
    return (await perform<Thing[]>('GET /organization-scopes', { query })).value.map(organizationScopeOf);
  },
  add: '/organization-roles/:id/scopes',
  idsAs: 'organizationScopeIds',
  remove: '/organization-roles/:id/scopes/:organizationScopeId',
  idAs: 'organizationScopeId',
  empty: 'No organization scopes yet.',
};

const resourceScopes: Relation = {
  of: OF,
  name: 'resource-scopes',
  title: 'Resource scopes',
  list: '/organization-roles/:id/resource-scopes',
  joinedOf: () => scopeOf,
  choices: scopes,
  add: '/organization-roles/:id/resource-scopes',
  idsAs: 'scopeIds',
  remove: '/organization-roles/:id/resource-scopes/:scopeId',
  idAs: 'scopeId',
  empty: 'No resource scopes yet.',
};

const description = ({ description }: Thing) => description as string | null;

const roles: Things = {
  path: '/directory/organization-roles',
  list: '/organization-roles',
  item: '/organization-roles/:id',
  one: 'organization role',
  many: 'Organization roles',
  lead: 'Roles for members of an organization. All organizations share them.',
  searchAs: (text) => ({ q: text }),
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
  loses: 'Every member with this role loses it.',
  parts: [organizationScopes, resourceScopes].flatMap(relationRoutes),
};

const scopeThings: Things = {
  path: '/directory/organization-scopes',
  list: '/organization-scopes',
  item: '/organization-scopes/:id',
  one: 'organization scope',
  many: 'Organization scopes',
  lead: 'Permissions within an organization, such as inviting members.',
  searchAs: (text) => ({ q: text }),
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
  loses: 'It is removed from every organization role.',
};

export const organizationTemplateRoutes = [...thingRoutes(roles), ...thingRoutes(scopeThings)];
