import type { TenantAdministrator } from '../../../admin/administrators.ts';
import { ServiceError } from '../../../errors.ts';
import { html } from '../../../pages/html.ts';
import { DEFAULT_TENANT } from '../../../tenants.ts';
import { faultsOf } from '../../parts/faults.ts';
import { field, formPage } from '../../parts/form-parts.ts';
import { rowLink, state, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, page, type RefusedForm } from '../../route.ts';
import { userOf } from '../directory/related-items.ts';

/** Administrators of a tenant. In every tenant they are users of tenant `default`. */

const PATH = '/settings/administrators';

const stateOf = ({ user }: TenantAdministrator) =>
  user.isSuspended ? state('bad', 'Suspended') : state('ok', 'Active');

/** The administrator's name. In the default tenant, whose directory contains them, it is a link. */
function nameOf({ tenant, administrator, to }: ConsoleRequest, { user }: TenantAdministrator) {
  const { name, path = '' } = userOf(user);
  const nameOrLink = tenant.id === DEFAULT_TENANT ? html`<a href="${to(path)}">${name}</a>` : name;
  return html`${nameOrLink}${user.id === administrator.id && html` <span class="quiet">(you)</span>`}`;
}

async function showAdministrators(request: ConsoleRequest): Promise<Page> {
  const managers = await request.rights.list();
  // The last one who can sign in cannot be removed.
  const [only, ...others] = managers.filter(({ user }) => !user.isSuspended);
  const isLast = ({ user }: TenantAdministrator) => others.length === 0 && user.id === only?.user.id;
  const rows = table({
    caption: 'Administrators of this tenant',
    rows: managers,
    empty: 'No administrators yet.',
    columns: [
      { label: 'Name', cell: (manager) => nameOf(request, manager) },
      { label: 'Signs in with', cell: ({ user }) => userOf(user).about },
      { label: 'Status', cell: stateOf },
      { label: 'Added', cell: ({ since }) => when(since, request.now) },
      {
        label: '',
        cell: (manager) =>
          !isLast(manager) &&
          rowLink(request.to(`${PATH}/${manager.user.id}/remove`), 'Remove', userOf(manager.user).name),
      },
    ],
  });
  return {
    title: 'Administrators',
    lead: 'Users who can change everything in this tenant.',
    actions: html`<a class="button primary" href="${request.to(`${PATH}/add`)}">Add administrator</a>`,
    content: rows,
  };
}

function showAdd(request: ConsoleRequest, refused?: RefusedForm): Page {
  const faults = faultsOf(refused);
  const hint = 'Username, email address, or ID of a user of the default tenant.';
  return formPage(request, refused, {
    title: 'Add administrator',
    back: { path: PATH, label: 'Administrators' },
    content: field({ name: 'user', label: 'User', hint, faults, value: refused?.values.get('user') ?? '' }),
    submit: 'Add administrator',
  });
}

async function add({ rights, submitted }: ConsoleRequest) {
  const name = submitted.get('user')?.trim() ?? '';
  await rights.add(name);
  return { to: PATH, flash: { text: `${name} now manages this tenant.` } };
}

type AtAdministrator = ConsoleRequest<{ userId: string }>;

async function showRemove(request: AtAdministrator, refused?: RefusedForm): Promise<Page> {
  const manager = (await request.rights.list()).find(({ user }) => user.id === request.params.userId);
  if (!manager) throw new ServiceError('entity.not_found');
  const { name } = userOf(manager.user);
  const isSelf = manager.user.id === request.administrator.id;
  return formPage(request, refused, {
    title: `Remove ${name}`,
    back: { path: PATH, label: 'Administrators' },
    content: html`<p>${isSelf ? 'You lose access to this tenant immediately. Another administrator can add you again.' : 'They lose access to this tenant immediately. Their account is kept.'}</p>`,
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
  form(`${PATH}/add`, showAdd, add),
  form(`${PATH}/:userId/remove`, showRemove, remove),
];
