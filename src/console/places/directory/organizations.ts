import { html } from '../../../pages/html.ts';
import { filled, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { FIRST, type Joined, type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, note, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';
import { applicationOf, machines, people, personOf } from './choices.ts';

const OF = '/directory/organizations/:id';

/** A kind of member: users or machine-to-machine applications. Each kind has its own roles. */
interface Members {
  name: 'users' | 'applications';
  idAs: 'userId' | 'applicationId';
  type: 'User' | 'MachineToMachine';
}
const USERS: Members = { name: 'users', idAs: 'userId', type: 'User' };
const MACHINES: Members = { name: 'applications', idAs: 'applicationId', type: 'MachineToMachine' };

const rolesPath = ({ name, idAs }: Members): string => `${OF}/${name}/:${idAs}/roles`;
const rolesRow = ({ name, idAs }: Members): string => `/organizations/:id/${name}/:${idAs}/roles`;

/** A member with their roles in the organization and a link to edit them. */
const memberOf =
  (request: ConsoleRequest, members: Members, joinedOf: (row: Record<string, unknown>) => Joined) =>
  (row: Record<string, unknown>): Joined => {
    const joined = joinedOf(row);
    const roles = (row.organizationRoles ?? []) as { name: string }[];
    const href = request.to(filled(rolesPath(members), { ...request.params, [members.idAs]: joined.id }));
    const about = html`<span class="chips">${roles.map(({ name }) => html`<span class="chip">${name}</span>`)}<a href="${href}">Edit roles<span class="unseen"> of ${joined.name}</span></a></span>`;
    return { ...joined, about };
  };

const users: Relation = {
  of: OF,
  name: 'users',
  title: 'Members',
  list: '/organizations/:id/users',
  isPaged: true,
  joinedOf: (request) => memberOf(request, USERS, personOf),
  choices: people,
  add: '/organizations/:id/users',
  idsAs: 'userIds',
  remove: '/organizations/:id/users/:userId',
  idAs: 'userId',
  empty: 'No members yet.',
};

const applications: Relation = {
  of: OF,
  name: 'applications',
  title: 'Machine-to-machine applications',
  list: '/organizations/:id/applications',
  isPaged: true,
  joinedOf: (request) => memberOf(request, MACHINES, applicationOf),
  choices: machines,
  add: '/organizations/:id/applications',
  idsAs: 'applicationIds',
  remove: '/organizations/:id/applications/:applicationId',
  idAs: 'applicationId',
  empty: 'No applications yet.',
};

const showRoles =
  (members: Members) =>
  async (request: ConsoleRequest, refused?: RefusedForm): Promise<Page> => {
    const { value: all } = await request.perform<Thing[]>('GET /organization-roles', { query: FIRST });
    const { value: held } = await request.perform<Thing[]>(`GET ${rolesRow(members)}`, {
      params: request.params,
      query: FIRST,
    });
    const options = all
      .filter(({ type }) => type === members.type)
      .map(
        ({ id, name, description }) =>
          [id, html`${name} <span class="quiet">${description as string | null}</span>`] as const,
      );
    const ticked = refused ? refused.typed.getAll('id') : held.map(({ id }) => id);
    const here = filled(OF, request.params);
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
  (members: Members) =>
  async ({ perform, params, sent }: ConsoleRequest) => {
    await perform(`PUT ${rolesRow(members)}`, { params, body: { organizationRoleIds: sent.getAll('id') } });
    return { to: filled(OF, params), flash: { text: 'Roles saved.' } };
  };

const things: Things = {
  path: '/directory/organizations',
  list: '/organizations',
  item: '/organizations/:id',
  one: 'organization',
  many: 'Organizations',
  lead: 'Customers or teams. The roles of a member apply only within the organization.',
  searchAs: (text) => ({ q: text }),
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
  loses: 'Its memberships are deleted. The users and applications are kept.',
  parts: [
    ...[users, applications].flatMap(relationRoutes),
    ...[USERS, MACHINES].map((members) => form(rolesPath(members), showRoles(members), setRoles(members))),
  ],
};

export const organizationRoutes = thingRoutes(things);
