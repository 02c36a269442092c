import { html } from '../../../pages/html.ts';
import { contains, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts, state } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import { applicationOf, assigneesOf, machines, people, personOf, ROLE_TYPES, scopeOf, scopes } from './choices.ts';

const OF = '/directory/roles/:id';

const heldScopes: Relation = {
  of: OF,
  name: 'scopes',
  title: 'Scopes',
  lead: 'Permissions that this role grants.',
  list: '/roles/:id/scopes',
  joinedOf: () => scopeOf,
  choices: scopes,
  add: '/roles/:id/scopes',
  idsAs: 'scopeIds',
  remove: '/roles/:id/scopes/:scopeId',
  idAs: 'scopeId',
  empty: 'No scopes yet. The role grants no permissions.',
};

const users: Relation = {
  of: OF,
  name: 'users',
  title: 'Users',
  list: '/roles/:id/users',
  isPaged: true,
  joinedOf: () => personOf,
  choices: people,
  add: '/roles/:id/users',
  idsAs: 'userIds',
  remove: '/roles/:id/users/:userId',
  idAs: 'userId',
  empty: 'No users have this role.',
};

const applications: Relation = {
  of: OF,
  name: 'applications',
  title: 'Applications',
  list: '/roles/:id/applications',
  isPaged: true,
  joinedOf: () => applicationOf,
  choices: machines,
  add: '/roles/:id/applications',
  idsAs: 'applicationIds',
  remove: '/roles/:id/applications/:applicationId',
  idAs: 'applicationId',
  empty: 'No applications have this role.',
};

const things: Things = {
  path: '/directory/roles',
  list: '/roles',
  item: '/roles/:id',
  one: 'role',
  many: 'Roles',
  lead: 'Sets of scopes for users and machine-to-machine applications.',
  searchAs: contains,
  columns: () => [
    { label: 'Description', cell: ({ description }) => String(description) },
    { label: 'Assigned to', cell: assigneesOf },
    { label: 'Default', cell: ({ isDefault }) => isDefault === true && state('info', 'Default') },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', hint: 'One sentence about what the role is for.' },
    {
      name: 'type',
      label: 'Assigned to',
      kind: 'choice',
      on: 'create',
      options: ROLE_TYPES,
    },
    { name: 'isDefault', label: 'Assign to new users automatically', kind: 'tick' },
  ],
  show: async (request: ConsoleRequest, role: Thing) => html`${facts([
    ['Description', String(role.description)],
    ['Assigned to', assigneesOf(role)],
    ['Default', role.isDefault ? 'Yes, assigned to new users automatically' : 'No'],
    ['ID', copyable(role.id)],
  ])}
${await relationSection(heldScopes, request)}
${await relationSection(role.type === 'User' ? users : applications, request)}`,
  loses: 'It is removed from every user and application that has it.',
  parts: [...relationRoutes(heldScopes), ...relationRoutes(users), ...relationRoutes(applications)],
};

export const roleRoutes = thingRoutes(things);
