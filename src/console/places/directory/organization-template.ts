import { html } from '../../../pages/html.ts';
import { type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { FIRST, type Joined, type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts } from '../../parts/parts.ts';
import type { Visit } from '../../route.ts';
import { scopeOf, scopes } from './choices.ts';

/** What all organizations have in common: the roles that members can have, and what those allow. */

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
  choices: async ({ perform }: Visit, text: string) => {
    const query = { ...FIRST, ...(text !== '' && { q: text }) };
    return (await perform<Thing[]>('GET /organization-scopes', { query })).value.map(organizationScopeOf);
  },
  add: '/organization-roles/:id/scopes',
  idsAs: 'organizationScopeIds',
  remove: '/organization-roles/:id/scopes/:organizationScopeId',
  idAs: 'organizationScopeId',
  empty: 'This role holds no scope of the organization itself.',
};

const resourceScopes: Relation = {
  of: OF,
  name: 'resource-scopes',
  title: 'Scopes of resources',
  list: '/organization-roles/:id/resource-scopes',
  joinedOf: () => scopeOf,
  choices: scopes,
  add: '/organization-roles/:id/resource-scopes',
  idsAs: 'scopeIds',
  remove: '/organization-roles/:id/resource-scopes/:scopeId',
  idAs: 'scopeId',
  empty: 'This role allows nothing at a resource.',
};

const description = ({ description }: Thing) => description as string | null;

const roles: Things = {
  path: '/directory/organization-roles',
  list: '/organization-roles',
  item: '/organization-roles/:id',
  one: 'organization role',
  many: 'Organization roles',
  lead: 'What a member of an organization can be. All organizations share them.',
  searchAs: (text) => ({ q: text }),
  columns: () => [
    { label: 'Description', cell: description },
    { label: 'For', cell: ({ type }) => (type === 'User' ? 'people' : 'machines') },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', isOptional: true },
    {
      name: 'type',
      label: 'For',
      kind: 'choice',
      on: 'create',
      options: [
        ['User', 'People'],
        ['MachineToMachine', 'Machines'],
      ],
    },
  ],
  show: async (visit, role) => html`${facts([
    ['Description', description(role)],
    ['For', role.type === 'User' ? 'people' : 'machines'],
    ['Id', copyable(role.id)],
  ])}
${await relationSection(organizationScopes, visit)}
${await relationSection(resourceScopes, visit)}`,
  loses: 'It is taken from every member who has it.',
  parts: [organizationScopes, resourceScopes].flatMap(relationRoutes),
};

const scopeThings: Things = {
  path: '/directory/organization-scopes',
  list: '/organization-scopes',
  item: '/organization-scopes/:id',
  one: 'organization scope',
  many: 'Organization scopes',
  lead: 'What can be allowed within an organization, such as inviting members.',
  searchAs: (text) => ({ q: text }),
  columns: () => [{ label: 'Description', cell: description }],
  fields: [
    { name: 'name', label: 'Name', hint: 'Without spaces, such as invite:member.' },
    { name: 'description', label: 'Description', isOptional: true },
  ],
  show: (_, scope) =>
    facts([
      ['Description', description(scope)],
      ['Id', copyable(scope.id)],
    ]),
  loses: 'It is taken from every role that holds it.',
};

export const organizationTemplateRoutes = [...thingRoutes(roles), ...thingRoutes(scopeThings)];
