import { html } from '../../../pages/html.ts';
import { filled, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { FIRST, type Joined, type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, note, when } from '../../parts/parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';
import { applicationOf, machines, people, personOf } from './choices.ts';

const OF = '/directory/organizations/:id';

/** A kind of member: people or machines. Their roles are their own. */
interface Members {
  name: 'users' | 'applications';
  idAs: 'userId' | 'applicationId';
  type: 'User' | 'MachineToMachine';
}
const USERS: Members = { name: 'users', idAs: 'userId', type: 'User' };
const MACHINES: Members = { name: 'applications', idAs: 'applicationId', type: 'MachineToMachine' };

const rolesPath = ({ name, idAs }: Members): string => `${OF}/${name}/:${idAs}/roles`;
const rolesRow = ({ name, idAs }: Members): string => `/organizations/:id/${name}/:${idAs}/roles`;

/** Who it is, and what they are in the organization; the link leads to changing that. */
const memberOf =
  (visit: Visit, members: Members, joinedOf: (row: Record<string, unknown>) => Joined) =>
  (row: Record<string, unknown>): Joined => {
    const joined = joinedOf(row);
    const roles = (row.organizationRoles ?? []) as { name: string }[];
    const href = visit.to(filled(rolesPath(members), { ...visit.params, [members.idAs]: joined.id }));
    const about = html`<span class="chips">${roles.map(({ name }) => html`<span class="chip">${name}</span>`)}<a href="${href}">Roles<span class="unseen"> of ${joined.name}</span></a></span>`;
    return { ...joined, about };
  };

const users: Relation = {
  of: OF,
  name: 'users',
  title: 'Members',
  list: '/organizations/:id/users',
  isPaged: true,
  joinedOf: (visit) => memberOf(visit, USERS, personOf),
  choices: people,
  add: '/organizations/:id/users',
  idsAs: 'userIds',
  remove: '/organizations/:id/users/:userId',
  idAs: 'userId',
  empty: 'Nobody belongs to this organization yet.',
};

const applications: Relation = {
  of: OF,
  name: 'applications',
  title: 'Machines',
  list: '/organizations/:id/applications',
  isPaged: true,
  joinedOf: (visit) => memberOf(visit, MACHINES, applicationOf),
  choices: machines,
  add: '/organizations/:id/applications',
  idsAs: 'applicationIds',
  remove: '/organizations/:id/applications/:applicationId',
  idAs: 'applicationId',
  empty: 'No machine belongs to this organization.',
};

const showRoles =
  (members: Members) =>
  async (visit: Visit, attempt?: Attempt): Promise<Page> => {
    const { value: all } = await visit.perform<Thing[]>('GET /organization-roles', { query: FIRST });
    const { value: held } = await visit.perform<Thing[]>(`GET ${rolesRow(members)}`, {
      params: visit.params,
      query: FIRST,
    });
    const options = all
      .filter(({ type }) => type === members.type)
      .map(
        ({ id, name, description }) =>
          [id, html`${name} <span class="quiet">${description as string | null}</span>`] as const,
      );
    const ticked = attempt ? attempt.typed.getAll('id') : held.map(({ id }) => id);
    const here = filled(OF, visit.params);
    const faults = faultsOf(attempt);
    return {
      title: 'Roles in the organization',
      back: { path: here, label: 'Organization' },
      content:
        options.length === 0
          ? note(
              'info',
              html`There is no organization role for them yet. <a href="${visit.to('/directory/organization-roles/new')}">New organization role</a>`,
            )
          : formOf(visit, {
              path: visit.path,
              content: boxes('id', 'Roles', options, { ticked, faults }),
              submit: 'Save',
              cancel: here,
              faults,
            }),
    };
  };

const setRoles =
  (members: Members) =>
  async ({ perform, params, sent }: Visit) => {
    await perform(`PUT ${rolesRow(members)}`, { params, body: { organizationRoleIds: sent.getAll('id') } });
    return { to: filled(OF, params), flash: { text: 'Saved.' } };
  };

const things: Things = {
  path: '/directory/organizations',
  list: '/organizations',
  item: '/organizations/:id',
  one: 'organization',
  many: 'Organizations',
  lead: 'Customers or teams: their members have roles that hold in them alone.',
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
  show: async (visit, organization) => html`${facts([
    ['Description', organization.description as string | null],
    ['Created', when(organization.createdAt as number, visit.now)],
    ['Id', copyable(organization.id)],
  ])}
${await relationSection(users, visit)}
${await relationSection(applications, visit)}`,
  loses: 'Its memberships go with it; the people and machines stay.',
  parts: [
    ...[users, applications].flatMap(relationRoutes),
    ...[USERS, MACHINES].map((members) => form(rolesPath(members), showRoles(members), setRoles(members))),
  ],
};

export const organizationRoutes = thingRoutes(things);
