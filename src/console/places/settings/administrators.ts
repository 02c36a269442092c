import type { TenantAdministrator } from '../../../admin/administrators.ts';
import type { AdministratorRole } from '../../../base/administrator-role.ts';
import { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../pages/html.ts';
import { DEFAULT_TENANT } from '../../../tenants.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { buttonLink, field, formPage, rowLink } from '../../parts/form-parts.ts';
import { state, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, page, type RefusedForm } from '../../route.ts';
import { userOf } from '../directory/related-items.ts';

/** Administrators of a tenant and their roles. In every tenant they are users of tenant `default`. */

const PATH = '/settings/administrators';

/** The roles with what they allow, the least one first. */
const ROLES: readonly (readonly [AdministratorRole, string])[] = [
  ['viewer', 'Viewer: read everything except secrets'],
  ['support', 'Support: also act as users, and end impersonations and sessions'],
  ['editor', 'Editor: also change everything except administrators, tenants and signing keys'],
  ['owner', 'Owner: everything'],
];

const roleField = (value: string, faults: Faults): Html =>
  field({ name: 'role', label: 'Role', options: ROLES, value, faults });

const stateOf = ({ user }: TenantAdministrator) =>
  user.isSuspended ? state('bad', 'Suspended') : state('ok', 'Active');

/** The administrator's name. In the default tenant, whose directory contains them, it is a link. */
function nameOf({ tenant, administrator, to }: ConsoleRequest, { user }: TenantAdministrator) {
  const { name, path = '' } = userOf(user);
  const nameOrLink = tenant.id === DEFAULT_TENANT ? html`<a href="${to(path)}">${name}</a>` : name;
  return html`${nameOrLink}${user.id === administrator.id && html` <span class="quiet">(you)</span>`}`;
}

/** True for an owner who can sign in. Every tenant keeps at least one. */
const canOwn = ({ role, user }: TenantAdministrator): boolean => role === 'owner' && !user.isSuspended;

function rowActions(request: ConsoleRequest, { user }: TenantAdministrator): Html {
  const { name } = userOf(user);
  const at = (below: string) => `${PATH}/${user.id}/${below}`;
  return html`<div class="row-actions">${rowLink(request, at('role'), 'Change role', name)}${rowLink(request, at('remove'), 'Remove', name)}</div>`;
}

async function showAdministrators(request: ConsoleRequest): Promise<Page> {
  const managers = await request.rights.list();
  const isLastOwner = ({ role, user }: TenantAdministrator) =>
    role === 'owner' && !managers.some((other) => canOwn(other) && other.user.id !== user.id);
  const rows = table({
    caption: 'Administrators of this tenant',
    rows: managers,
    empty: 'No administrators yet.',
    columns: [
      { label: 'Name', cell: (manager) => nameOf(request, manager) },
      { label: 'Signs in with', cell: ({ user }) => userOf(user).about },
      { label: 'Role', cell: ({ role }) => role },
      { label: 'Status', cell: stateOf },
      { label: 'Added', cell: ({ since }) => when(since, request.now) },
      {
        label: '',
        cell: (manager) => !isLastOwner(manager) && rowActions(request, manager),
      },
    ],
  });
  return {
    title: 'Administrators',
    lead: 'Users who manage this tenant, and what they may do. The last owner keeps the role.',
    actions: html`${buttonLink(request, `${PATH}/add`, 'Add administrator', 'primary')}`,
    content: rows,
  };
}

function showAdd(request: ConsoleRequest, refused?: RefusedForm): Page {
  const faults = faultsOf(refused);
  const hint = 'Username, email address, or ID of a user of the default tenant.';
  return formPage(request, refused, {
    title: 'Add administrator',
    back: { path: PATH, label: 'Administrators' },
    content: [
      field({ name: 'user', label: 'User', hint, faults, value: refused?.values.get('user') ?? '' }),
      roleField(refused?.values.get('role') ?? 'viewer', faults),
    ],
    submit: 'Add administrator',
  });
}

async function add({ rights, submitted }: ConsoleRequest) {
  const name = submitted.get('user')?.trim() ?? '';
  const role = submitted.get('role') ?? '';
  await rights.add(name, role);
  return { to: PATH, flash: { text: `${name} now manages this tenant as ${role}.` } };
}

type AtAdministrator = ConsoleRequest<{ userId: string }>;

async function readManager({ rights, params }: AtAdministrator): Promise<TenantAdministrator> {
  const manager = (await rights.list()).find(({ user }) => user.id === params.userId);
  if (!manager) throw new ServiceError('entity.not_found');
  return manager;
}

async function showRole(request: AtAdministrator, refused?: RefusedForm): Promise<Page> {
  const { role, user } = await readManager(request);
  return formPage(request, refused, {
    title: `Change the role of ${userOf(user).name}`,
    lead: 'Applies from their next request.',
    back: { path: PATH, label: 'Administrators' },
    content: roleField(refused?.values.get('role') ?? role, faultsOf(refused)),
    submit: 'Change role',
  });
}

async function changeRole({ rights, params, submitted }: AtAdministrator) {
  await rights.change(params.userId, submitted.get('role') ?? '');
  return { to: PATH, flash: { text: 'Role changed.' } };
}

async function showRemove(request: AtAdministrator, refused?: RefusedForm): Promise<Page> {
  const manager = await readManager(request);
  const { name } = userOf(manager.user);
  const isSelf = manager.user.id === request.administrator.id;
  return formPage(request, refused, {
    title: `Remove ${name}`,
    back: { path: PATH, label: 'Administrators' },
    content: html`<p>${isSelf ? 'You lose access to this tenant immediately. Another owner can add you again.' : 'They lose access to this tenant immediately. Their account is kept.'}</p>`,
    submit: 'Remove administrator',
    kind: 'danger',
  });
}

async function remove({ rights, params }: AtAdministrator) {
  await rights.remove(params.userId);
  return { to: PATH, flash: { text: 'Administrator removed.' } };
}

export const administratorRoutes = [
  page(PATH, showAdministrators),
  form(`${PATH}/add`, showAdd, add, 'owner'),
  form(`${PATH}/:userId/role`, showRole, changeRole, 'owner'),
  form(`${PATH}/:userId/remove`, showRemove, remove, 'owner'),
];
