import { html } from '../../../pages/html.ts';
import { type Entity, type EntityPages, entityRoutes, matches } from '../../entities/entity-pages.ts';
import { type RelatedItem, type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, formPage } from '../../parts/form-parts.ts';
import { copyable, FIRST_PAGE, facts, note, when } from '../../parts/parts.ts';
import { type ConsoleRequest, fillPath, form, type Page, type RefusedForm } from '../../route.ts';
import { applicationChoices, applicationOf, userChoices, userOf } from './related-items.ts';

const ENTITY = '/organizations/:id';
const PATH = `/directory${ENTITY}`;

/** A kind of member: users or machine-to-machine applications. Each kind has its own roles. */
interface MemberKind {
  name: 'users' | 'applications';
  idAs: 'userId' | 'applicationId';
  type: 'User' | 'MachineToMachine';
}
const USERS: MemberKind = { name: 'users', idAs: 'userId', type: 'User' };
const APPLICATIONS: MemberKind = { name: 'applications', idAs: 'applicationId', type: 'MachineToMachine' };

/** Path of a member's roles, in the Management API and below `/directory`. */
const rolesOf = ({ name, idAs }: MemberKind): string => `${ENTITY}/${name}/:${idAs}/roles`;
const rolesPath = (members: MemberKind): string => `/directory${rolesOf(members)}`;

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
  entity: ENTITY,
  name: 'users',
  title: 'Members',
  isPaged: true,
  itemOf: (request) => memberOf(request, USERS, userOf),
  choices: userChoices,
  idParameter: 'userId',
  empty: 'No members yet.',
};

const applications: Relation = {
  entity: ENTITY,
  name: 'applications',
  title: 'Machine-to-machine applications',
  isPaged: true,
  itemOf: (request) => memberOf(request, APPLICATIONS, applicationOf),
  choices: applicationChoices,
  idParameter: 'applicationId',
  empty: 'No applications yet.',
};

const showRoles =
  (members: MemberKind) =>
  async (request: ConsoleRequest, refused?: RefusedForm): Promise<Page> => {
    const { value: all } = await request.perform<Entity[]>('GET /organization-roles', { query: FIRST_PAGE });
    const { value: held } = await request.perform<Entity[]>(`GET ${rolesOf(members)}`, { query: FIRST_PAGE });
    const options = all
      .filter(({ type }) => type === members.type)
      .map(
        ({ id, name, description }) =>
          [id, html`${name} <span class="quiet">${description as string | null}</span>`] as const,
      );
    const ticked = refused ? refused.values.getAll('id') : held.map(({ id }) => id);
    const heading = {
      title: 'Edit organization roles',
      back: { path: fillPath(PATH, request.params), label: 'Organization' },
    };
    if (options.length === 0) {
      const text = html`There are no organization roles for this kind of member yet. <a href="${request.to('/directory/organization-roles/new')}">New organization role</a>`;
      return { ...heading, content: note('info', text) };
    }
    const content = boxes('id', 'Roles', options, { ticked, faults: faultsOf(refused) });
    return formPage(request, refused, { ...heading, content, submit: 'Save roles' });
  };

const setRoles =
  (members: MemberKind) =>
  async ({ perform, params, submitted }: ConsoleRequest) => {
    await perform(`PUT ${rolesOf(members)}`, { body: { organizationRoleIds: submitted.getAll('id') } });
    return { to: fillPath(PATH, params), flash: { text: 'Roles saved.' } };
  };

const organizationPages: EntityPages = {
  path: '/directory/organizations',
  list: '/organizations',
  item: '/organizations/:id',
  singular: 'organization',
  plural: 'Organizations',
  lead: 'Customers or teams. The roles of a member apply only within the organization.',
  searchQuery: matches,
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
