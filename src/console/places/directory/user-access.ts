import { type Html, html } from '../../../pages/html.ts';
import type { Item } from '../../api.ts';
import { listRoute, USER, type UserList, userPath } from './user-lists.ts';

const chips = (roles: readonly { name: string }[]): Html =>
  html`<span class="chips">${roles.map(({ name }) => html`<span class="chip">${name}</span>`)}</span>`;

/** The user's organizations, with their roles there. */
export const organizations: UserList<Item<'GET /users/:userId/organizations'>> = {
  title: 'Organizations',
  empty: 'The user is in no organization.',
  all: (request) => `${userPath(request)}/organizations`,
  async read({ perform }, query) {
    const { value, total } = await perform('GET /users/:userId/organizations', { query });
    return { rows: value, total };
  },
  columns: (request) => [
    {
      label: 'Name',
      cell: ({ id, name }) => html`<a href="${request.to(`/directory/organizations/${id}`)}">${name}</a>`,
    },
    { label: 'Roles', cell: ({ organizationRoles }) => chips(organizationRoles) },
  ],
};

/** The scopes of all roles of the user. */
export const scopes: UserList<Item<'GET /users/:userId/scopes'>> = {
  title: 'Effective scopes',
  lead: 'What tokens of this user can contain, and the roles that allow it.',
  empty: 'No scopes. None of the user’s roles has a scope.',
  all: (request) => `${userPath(request)}/scopes`,
  async read({ perform }, query) {
    const { value, total } = await perform('GET /users/:userId/scopes', { query });
    return { rows: value, total };
  },
  columns: (request) => [
    { label: 'Scope', cell: ({ name }) => html`<span class="mono">${name}</span>` },
    {
      label: 'Resource',
      cell: ({ resource: { id, name } }) => html`<a href="${request.to(`/directory/resources/${id}`)}">${name}</a>`,
    },
    { label: 'From', cell: ({ roles, organizationRoles }) => chips([...roles, ...organizationRoles]) },
  ],
};

export const accessRoutes = [listRoute(`${USER}/organizations`, organizations), listRoute(`${USER}/scopes`, scopes)];
