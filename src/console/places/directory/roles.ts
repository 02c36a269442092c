import { html } from '../../../pages/html.ts';
import { contains, type EntityPages, entityRoutes } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { copyable, facts, state } from '../../parts/parts.ts';
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

const heldScopes: Relation<'/roles/:id/scopes'> = {
  list: '/roles/:id/scopes',
  remove: 'DELETE /roles/:id/scopes/:scopeId',
  title: 'Scopes',
  lead: 'Permissions that this role grants.',
  itemOf: scopeOf,
  choices: scopeChoices,
  empty: 'No scopes yet. The role grants no permissions.',
};

const users: Relation<'/roles/:id/users'> = {
  list: '/roles/:id/users',
  remove: 'DELETE /roles/:id/users/:userId',
  title: 'Users',
  isPaged: true,
  itemOf: userOf,
  choices: userChoices,
  empty: 'No users have this role.',
};

const applications: Relation<'/roles/:id/applications'> = {
  list: '/roles/:id/applications',
  remove: 'DELETE /roles/:id/applications/:applicationId',
  title: 'Applications',
  isPaged: true,
  itemOf: applicationOf,
  choices: applicationChoices,
  empty: 'No applications have this role.',
};

const rolePages: EntityPages<'/roles/:id'> = {
  path: '/directory/roles',
  entity: '/roles/:id',
  singular: 'role',
  plural: 'Roles',
  lead: 'Sets of scopes for users and machine-to-machine applications.',
  searchQuery: contains,
  columns: () => [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Assigned to', cell: assigneesOf },
    { label: 'Default', cell: ({ isDefault }) => isDefault && state('info', 'Default') },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', hint: 'One sentence about what the role is for.' },
    { name: 'type', label: 'Assigned to', kind: 'choice', on: 'create', options: ROLE_TYPES },
    { name: 'isDefault', label: 'Assign to new users automatically', kind: 'tick' },
  ],
  show: async (request, role) => html`${facts([
    ['Description', role.description],
    ['Assigned to', assigneesOf(role)],
    ['Default', role.isDefault ? 'Yes, assigned to new users automatically' : 'No'],
    ['ID', copyable(role.id)],
  ])}
${await relationSection(heldScopes, request)}
${await relationSection(role.type === 'User' ? users : applications, request)}`,
  deleteWarning: 'It is removed from every user and application that has it.',
  routes: [heldScopes, users, applications].flatMap(relationRoutes),
};

export const roleRoutes = entityRoutes(rolePages);
