import { ServiceError } from '../../../errors.ts';
import { html } from '../../../pages/html.ts';
import { DEFAULT_TENANT } from '../../../tenants.ts';
import { faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { state, table, when } from '../../parts/parts.ts';
import { type Attempt, form, type Page, page, type Visit } from '../../route.ts';
import type { Manager } from '../../session/administrators.ts';
import { personOf } from '../directory/choices.ts';

/** Who manages this tenant. They are users of tenant `default`, whichever tenant it is. */

const PATH = '/settings/administrators';

const stateOf = ({ user }: Manager) => (user.isSuspended ? state('bad', 'Suspended') : state('ok', 'Active'));

/** Their page is in the directory of the default tenant. */
function nameOf({ tenant, administrator, to }: Visit, { user }: Manager) {
  const { name, path = '' } = personOf({ ...user });
  const shown = tenant.id === DEFAULT_TENANT ? html`<a href="${to(path)}">${name}</a>` : name;
  return html`${shown}${user.id === administrator.id && html` <span class="quiet">(you)</span>`}`;
}

async function showAdministrators(visit: Visit): Promise<Page> {
  const rows = table({
    caption: 'Administrators of this tenant',
    rows: await visit.rights.list(),
    empty: 'Nobody manages this tenant.',
    columns: [
      { label: 'Name', cell: (manager) => nameOf(visit, manager) },
      { label: 'Signs in with', cell: ({ user }) => personOf({ ...user }).about },
      { label: 'State', cell: stateOf },
      { label: 'Since', cell: ({ since }) => when(since, visit.now) },
      {
        label: '',
        cell: ({ user }) =>
          html`<div class="row-actions"><a class="button compact" href="${visit.to(`${PATH}/${user.id}/remove`)}">Remove<span class="unseen"> ${personOf({ ...user }).name}</span></a></div>`,
      },
    ],
  });
  return {
    title: 'Administrators',
    lead: 'People who may do everything in these pages for this tenant.',
    actions: html`<a class="button primary" href="${visit.to(`${PATH}/add`)}">Add administrator</a>`,
    content: rows,
  };
}

function showAdd(visit: Visit, attempt?: Attempt): Page {
  const faults = faultsOf(attempt);
  const hint = 'Username, e-mail address or id of somebody who has an account at this console.';
  return {
    title: 'Add administrator',
    back: { path: PATH, label: 'Administrators' },
    content: formOf(visit, {
      path: visit.path,
      content: field({ name: 'user', label: 'Who', hint, faults, value: attempt?.typed.get('user') ?? '' }),
      submit: 'Add',
      cancel: PATH,
      faults,
    }),
  };
}

async function add({ rights, sent }: Visit) {
  const name = sent.get('user')?.trim() ?? '';
  await rights.give(name);
  return { to: PATH, flash: { text: `${name} manages this tenant now.` } };
}

async function showRemove(visit: Visit, attempt?: Attempt): Promise<Page> {
  const manager = (await visit.rights.list()).find(({ user }) => user.id === visit.params.userId);
  if (!manager) throw new ServiceError('entity.not_found');
  const { name } = personOf({ ...manager.user });
  const isSelf = manager.user.id === visit.administrator.id;
  return {
    title: `Remove ${name}`,
    back: { path: PATH, label: 'Administrators' },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>${isSelf ? 'You are out of the pages of this tenant at once. Somebody else can add you again.' : 'They are out of the pages of this tenant at once. Their account stays.'}</p>`,
      submit: `Remove ${name}`,
      kind: 'danger',
      cancel: PATH,
      faults: faultsOf(attempt),
    }),
  };
}

async function remove({ rights, params }: Visit) {
  await rights.take(params.userId ?? '');
  return { to: PATH, flash: { text: 'This person no longer manages the tenant.' } };
}

export const administratorRoutes = [
  page(PATH, showAdministrators),
  form(`${PATH}/add`, showAdd, add),
  form(`${PATH}/:userId/remove`, showRemove, remove),
];
