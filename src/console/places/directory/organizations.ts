import { html } from '../../../pages/html.ts';
import { type Entity, type EntityPages, entityRoutes, fillPath } from '../../entities/entity-pages.ts';
import {
  FIRST_PAGE,
  type RelatedItem,
  type Relation,
  relationRoutes,
  relationSection,
} from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, note, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';
import { applicationChoices, applicationOf, userChoices, userOf } from './related-items.ts';

const PATH = '/directory/organizations/:id';

/** A kind of member: users or machine-to-machine applications. Each kind has its own roles. */
interface MemberKind {
  name: 'users' | 'applications';
  idAs: 'userId' | 'applicationId';
  type: 'User' | 'MachineToMachine';
}
const USERS: MemberKind = { name: 'users', idAs: 'userId', type: 'User' };
const APPLICATIONS: MemberKind = { name: 'applications', idAs: 'applicationId', type: 'MachineToMachine' };

const rolesPath = ({ name, idAs }: MemberKind): string => `${PATH}/${name}/:${idAs}/roles`;
const rolesRow = ({ name, idAs }: MemberKind): string => `/organizations/:id/${name}/:${idAs}/roles`;

/** A member with their roles in the organization and a link to edit them. */
const memberOf =
  (request: ConsoleRequest, members: MemberKind, joinedOf: (row: Record<string, unknown>) => RelatedItem) =>
  (row: Record<string, unknown>): RelatedItem => {
    const joined = joinedOf(row);
    const roles = (row.organizationRoles ?? []) as { name: string }[];
    const href = request.to(fillPath(rolesPath(members), { ...request.params, [members.idAs]: joined.id }));
    const about = html`<span class="chips">${roles.map(({ name }) => html`<span class="chip">${name}</span>`)}<a href="${href}">Edit roles<span class="unseen"> of ${joined.name}</span></a></span>`;
    return { ...joined, about };
  };

const users: Relation = {
  entityPath: PATH,
  name: 'users',
  title: 'Members',
  list: '/organizations/:id/users',
  isPaged: true,
  itemOf: (request) => memberOf(request, USERS, userOf),
  choices: userChoices,
  add: '/organizations/:id/users',
  idsMember: 'userIds',
  remove: '/organizations/:id/users/:userId',
  idParameter: 'userId',
  empty: 'No members yet.',
};

const applications: Relation = {
  entityPath: PATH,
  name: 'applications',
  title: 'Machine-to-machine applications',
  list: '/organizations/:id/applications',
  isPaged: true,
  itemOf: (request) => memberOf(request, APPLICATIONS, applicationOf),
  choices: applicationChoices,
  add: '/organizations/:id/applications',
  idsMember: 'applicationIds',
  remove: '/organizations/:id/applications/:applicationId',
  idParameter: 'applicationId',
  empty: 'No applications yet.',
};

const showRoles =
  (members: MemberKind) =>
  async (request: ConsoleRequest, refused?: RefusedForm): Promise<Page> => {
    const { value: all } = await request.perform<Entity[]>('GET /organization-roles', { query: FIRST_PAGE });
    const { value: held } = await request.perform<Entity[]>(`GET ${rolesRow(members)}`, {
      params: request.params,
      query: FIRST_PAGE,
    });
    const options = all
      .filter(({ type }) => type === members.type)
      .map(
        ({ id, name, description }) =>
          [id, html`${name} <span class="quiet">${description as string | null}</span>`] as const,
      );
    const ticked = refused ? refused.values.getAll('id') : held.map(({ id }) => id);
    const here = fillPath(PATH, request.params);
    const faults = faultsOf(refused);
    return {
      title: 'Edit organization roles',
      back: { path: here, label: 'Organization' },
      content:
        options.length === 0
          ? note(
              'info',
              html`There are no organization roles for this kind of member yet. <a href="${request.to('/directory/organization-roles/new')}">New organization role</a>`,
            )
          : formOf(request, {
              path: request.path,
              content: boxes('id', 'Roles', options, { ticked, faults }),
              submit: 'Save roles',
              cancel: here,
              faults,
            }),
    };
  };

const setRoles =
  (members: MemberKind) =>
  async ({ perform, params, submitted }: ConsoleRequest) => {
    await perform(`PUT ${rolesRow(members)}`, { params, body: { organizationRoleIds: submitted.getAll('id') } });
    return { to: fillPath(PATH, params), flash: { text: 'Roles saved.' } };
  };

const organizationPages: EntityPages = {
  path: '/directory/organizations',
  list: '/organizations',
  item: '/organizations/:id',
  singular: 'organization',
  plural: 'Organizations',
  lead: 'Customers or teams. The roles of a member apply only within the organization.',
  searchQuery: (text) => ({ q: text }),
  columns: ({ now }) => [
    { label: 'Description', cell: ({ description }) => description as string | null },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt as number, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', isOptional: true },
    { name: 'customData', label: 'Custom data', kind: 'json', hint: 'Any JSON object.' },
  ],
  show: async (request, organization) => html`${facts([
    ['Description', organization.description as string | null],
    ['Created', when(organization.createdAt as number, request.now)],
    ['ID', copyable(organization.id)],
  ])}
${await relationSection(users, request)}
${await relationSection(applications, request)}`,
  deleteWarning: 'Its memberships are deleted. The users and applications are kept.',
  routes: [
    ...[users, applications].flatMap(relationRoutes),
    ...[USERS, APPLICATIONS].map((members) => form(rolesPath(members), showRoles(members), setRoles(members))),
  ],
};

export const organizationRoutes = entityRoutes(organizationPages);
