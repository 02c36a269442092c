import { html } from '../../../pages/html.ts';
import { contains, type Entity, type EntityPages, entityRoutes } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts, state } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import {
  applicationChoices,
  applicationOf,
  assigneesOf,
  ROLE_TYPES,
  scopeChoices,
  scopeOf,
  userChoices,
  userOf,
} from './related-items.ts';

const PATH = '/directory/roles/:id';

const heldScopes: Relation = {
  entityPath: PATH,
  name: 'scopes',
  title: 'Scopes',
  lead: 'Permissions that this role grants.',
  list: '/roles/:id/scopes',
  itemOf: () => scopeOf,
  choices: scopeChoices,
  add: '/roles/:id/scopes',
  idsMember: 'scopeIds',
  remove: '/roles/:id/scopes/:scopeId',
  idParameter: 'scopeId',
  empty: 'No scopes yet. The role grants no permissions.',
};

const users: Relation = {
  entityPath: PATH,
  name: 'users',
  title: 'Users',
  list: '/roles/:id/users',
  isPaged: true,
  itemOf: () => userOf,
  choices: userChoices,
  add: '/roles/:id/users',
  idsMember: 'userIds',
  remove: '/roles/:id/users/:userId',
  idParameter: 'userId',
  empty: 'No users have this role.',
};

const applications: Relation = {
  entityPath: PATH,
  name: 'applications',
  title: 'Applications',
  list: '/roles/:id/applications',
  isPaged: true,
  itemOf: () => applicationOf,
  choices: applicationChoices,
  add: '/roles/:id/applications',
  idsMember: 'applicationIds',
  remove: '/roles/:id/applications/:applicationId',
  idParameter: 'applicationId',
  empty: 'No applications have this role.',
};

const rolePages: EntityPages = {
  path: '/directory/roles',
  list: '/roles',
  item: '/roles/:id',
  singular: 'role',
  plural: 'Roles',
  lead: 'Sets of scopes for users and machine-to-machine applications.',
  searchQuery: contains,
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
  show: async (request: ConsoleRequest, role: Entity) => html`${facts([
    ['Description', String(role.description)],
    ['Assigned to', assigneesOf(role)],
    ['Default', role.isDefault ? 'Yes, assigned to new users automatically' : 'No'],
    ['ID', copyable(role.id)],
  ])}
${await relationSection(heldScopes, request)}
${await relationSection(role.type === 'User' ? users : applications, request)}`,
  deleteWarning: 'It is removed from every user and application that has it.',
  routes: [...relationRoutes(heldScopes), ...relationRoutes(users), ...relationRoutes(applications)],
};

export const roleRoutes = entityRoutes(rolePages);
