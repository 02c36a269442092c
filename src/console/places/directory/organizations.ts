import { html } from '../../../pages/html.ts';
import { type EntityPages, entityRoutes, matches } from '../../entities/entity-pages.ts';
import { type RelatedItem, type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { boxes, formPage } from '../../parts/form-parts.ts';
import { copyable, FIRST_PAGE, facts, note, when } from '../../parts/parts.ts';
import { type ConsoleRequest, fillPath, form, type Page, type RefusedForm, type Route } from '../../route.ts';
import { applicationChoices, applicationOf, userChoices, userOf } from './related-items.ts';

const ENTITY = '/organizations/:id';
const PATH = `/directory${ENTITY}`;

type AtOrganization = ConsoleRequest<{ id: string }>;

/** A member with their roles in the organization and a link to edit them, at this path below the organization. */
function memberOf(item: RelatedItem, roles: readonly { name: string }[], request: AtOrganization, path: string) {
  const { params } = request;
  const rolesPath = `${fillPath(PATH, params)}/${path}/${encodeURIComponent(item.id)}/roles`;
  const edit = html`<a href="${request.to(rolesPath)}">Edit roles<span class="unseen"> of ${item.name}</span></a>`;
  const about = html`<span class="chips">${roles.map(({ name }) => html`<span class="chip">${name}</span>`)}${!request.missingRole(rolesPath) && edit}</span>`;
  return { ...item, about };
}

const users: Relation<'/organizations/:id/users'> = {
  list: '/organizations/:id/users',
  remove: 'DELETE /organizations/:id/users/:userId',
  title: 'Members',
  isPaged: true,
  itemOf: (user, request) => memberOf(userOf(user), user.organizationRoles, request, 'users'),
  choices: userChoices,
  empty: 'No members yet.',
};

const applications: Relation<'/organizations/:id/applications'> = {
  list: '/organizations/:id/applications',
  remove: 'DELETE /organizations/:id/applications/:applicationId',
  title: 'Machine-to-machine applications',
  isPaged: true,
  itemOf: (application, request) =>
    memberOf(applicationOf(application), application.organizationRoles, request, 'applications'),
  choices: applicationChoices,
  empty: 'No applications yet.',
};

type MemberPath = `${typeof ENTITY}/users/:userId` | `${typeof ENTITY}/applications/:applicationId`;

/** The form with the roles of a member. Users and machine-to-machine applications have roles of their own kind. */
const rolesForm = (member: MemberPath, type: 'User' | 'MachineToMachine'): Route => {
  async function show(request: ConsoleRequest<never>, refused?: RefusedForm): Promise<Page> {
    const { value: all } = await request.perform('GET /organization-roles', { query: FIRST_PAGE });
    const { value: held } = await request.perform(`GET ${member}/roles`, { query: FIRST_PAGE });
    const options = all
      .filter((role) => role.type === type)
      .map(({ id, name, description }) => [id, html`${name} <span class="quiet">${description}</span>`] as const);
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
  }
  async function save({ perform, params, submitted }: ConsoleRequest<never>) {
    await perform(`PUT ${member}/roles`, { body: { organizationRoleIds: submitted.getAll('id') } });
    return { to: fillPath(PATH, params), flash: { text: 'Roles saved.' } };
  }
  return form<string>(`/directory${member}/roles`, show, save, `PUT ${member}/roles`);
};

const organizationPages: EntityPages<'/organizations/:id'> = {
  path: '/directory/organizations',
  entity: '/organizations/:id',
  singular: 'organization',
  plural: 'Organizations',
  lead: 'Customers or teams. The roles of a member apply only within the organization.',
  searchQuery: matches,
  columns: ({ now }) => [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description', isOptional: true },
    { name: 'customData', label: 'Custom data', kind: 'json', hint: 'Any JSON object.' },
  ],
  show: async (request, organization) => html`${facts([
    ['Description', organization.description],
    ['Created', when(organization.createdAt, request.now)],
    ['ID', copyable(organization.id)],
  ])}
${await relationSection(users, request)}
${await relationSection(applications, request)}`,
  deleteWarning: 'Its memberships are deleted. The users and applications are kept.',
  routes: [
    ...[users, applications].flatMap(relationRoutes),
    rolesForm('/organizations/:id/users/:userId', 'User'),
    rolesForm('/organizations/:id/applications/:applicationId', 'MachineToMachine'),
  ],
};

export const organizationRoutes = entityRoutes(organizationPages);
