import { html } from '../../../pages/html.ts';
import { contains, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts, state } from '../../parts/parts.ts';
import type { Visit } from '../../route.ts';
import { applicationOf, machines, people, personOf, scopeOf, scopes } from './choices.ts';

const OF = '/directory/roles/:id';

const heldScopes: Relation = {
  of: OF,
  name: 'scopes',
  title: 'Scopes',
  lead: 'What whoever has this role may do.',
  list: '/roles/:id/scopes',
  joinedOf: () => scopeOf,
  choices: scopes,
  add: '/roles/:id/scopes',
  idsAs: 'scopeIds',
  remove: '/roles/:id/scopes/:scopeId',
  idAs: 'scopeId',
  empty: 'This role allows nothing yet.',
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
  empty: 'Nobody has this role.',
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
  empty: 'No application has this role.',
};

const typeName = ({ type }: Thing): string => (type === 'User' ? 'For people' : 'For machines');

const things: Things = {
  path: '/directory/roles',
  list: '/roles',
  item: '/roles/:id',
  one: 'role',
  many: 'Roles',
  lead: 'What people and machines may do: each role is a set of scopes.',
  searchAs: contains,
  columns: () => [
    { label: 'Description', cell: ({ description }) => String(description) },
    { label: 'For', cell: ({ type }) => (type === 'User' ? 'people' : 'machines') },
    { label: 'Default', cell: ({ isDefault }) => isDefault === true && state('info', 'default') },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', hint: 'One sentence: what it lets one do.' },
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
    { name: 'isDefault', label: 'New users get it by themselves', kind: 'tick' },
  ],
  show: async (visit: Visit, role: Thing) => html`${facts([
    ['Description', String(role.description)],
    ['For', typeName(role)],
    ['Default', role.isDefault ? 'New users get it by themselves' : 'Given one by one'],
    ['Id', copyable(role.id)],
  ])}
${await relationSection(heldScopes, visit)}
${await relationSection(role.type === 'User' ? users : applications, visit)}`,
  loses: 'It is taken from everyone who has it.',
  parts: [...relationRoutes(heldScopes), ...relationRoutes(users), ...relationRoutes(applications)],
};

export const roleRoutes = thingRoutes(things);
