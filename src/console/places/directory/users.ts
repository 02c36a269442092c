import { html } from '../../../pages/html.ts';
import { contains, type EntityPages, entityRoutes, showEntity } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, field, formPage } from '../../parts/form-parts.ts';
import { copyable, facts, state, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, fillPath, form, type Page, type RefusedForm } from '../../route.ts';
import { factorRoutes, factorSection } from './factors.ts';
import { roleChoices, roleOf, userOf } from './related-items.ts';

const ENTITY = '/users/:userId';
const PATH = `/directory${ENTITY}`;

const heldRoles: Relation<'/users/:userId/roles'> = {
  list: '/users/:userId/roles',
  remove: 'DELETE /users/:userId/roles/:roleId',
  title: 'Roles',
  lead: 'Roles that define what this user may do.',
  itemOf: roleOf,
  choices: roleChoices('User'),
  empty: 'No roles yet.',
};

type AtUser = ConsoleRequest<{ userId: string }>;

const stateOf = ({ isSuspended }: { isSuspended: boolean }) =>
  isSuspended ? state('bad', 'Suspended') : state('ok', 'Active');

const here = (request: AtUser): string => fillPath(PATH, request.params);

/** A function, because `userPages` is defined below and refers to the routes that need this page. */
const showHere = showEntity(() => userPages);

async function suspend(request: AtUser, isSuspended: boolean) {
  await request.perform('PATCH /users/:userId/is-suspended', { body: { isSuspended } });
  const back = { path: `${here(request)}/${isSuspended ? 'reactivate' : 'suspend'}` };
  const text = isSuspended
    ? 'User suspended. Their sessions, tokens, and impersonations have ended.'
    : 'User reactivated. They can sign in again.';
  return { to: here(request), flash: { text, undo: back } };
}

async function showPassword(request: AtUser, refused?: RefusedForm): Promise<Page> {
  const { name } = userOf((await request.perform(`GET ${ENTITY}`)).value);
  const hint = 'Send it to the user over a channel you trust. They can change it on their account page.';
  return formPage(request, refused, {
    title: `Set password of ${name}`,
    back: { path: here(request), label: name },
    content: field({ name: 'password', label: 'New password', type: 'password', hint, faults: faultsOf(refused) }),
    submit: 'Set password',
  });
}

async function setPassword(request: AtUser) {
  const password = request.submitted.get('password') ?? '';
  await request.perform('PATCH /users/:userId/password', { body: { password } });
  return { to: here(request), flash: { text: 'Password set.' } };
}

const userPages: EntityPages<'/users/:userId'> = {
  path: '/directory/users',
  entity: '/users/:userId',
  singular: 'user',
  plural: 'Users',
  lead: 'Users who sign in to the applications of this tenant.',
  nameOf: (user) => userOf(user).name,
  searchQuery: contains,
  columns: ({ now }) => [
    { label: 'Signs in with', cell: (user) => userOf(user).about },
    { label: 'Status', cell: stateOf },
    { label: 'Last sign-in', cell: ({ lastSignInAt }) => when(lastSignInAt, now) },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt, now) },
  ],
  fields: [
    { name: 'name', label: 'Name', isOptional: true },
    {
      name: 'username',
      label: 'Username',
      isOptional: true,
      hint: 'Letters, digits, and underscores. It cannot start with a digit.',
      format: 'Enter letters, digits, and underscores only. Start with a letter or an underscore.',
    },
    {
      name: 'primaryEmail',
      label: 'Email address',
      isOptional: true,
      format: 'Enter an email address, such as jo@example.com.',
    },
    {
      name: 'primaryPhone',
      label: 'Phone number',
      isOptional: true,
      hint: 'Digits only, with the country code and without +.',
      format: 'Enter digits only, such as 12025550123.',
    },
    { name: 'password', label: 'Password', kind: 'password', isOptional: true, on: 'create' },
    { name: 'customData', label: 'Custom data', kind: 'json', hint: 'A JSON object. Claims scripts can read it.' },
  ],
  actions: (request, { id, isSuspended }) =>
    html`${!isSuspended && html`<a class="button" href="${request.to(`/impersonations/new?userId=${encodeURIComponent(id)}`)}">Act as this user</a>`}${isSuspended ? buttonForm(request, `${here(request)}/reactivate`, 'Reactivate user', { kind: '' }) : buttonForm(request, `${here(request)}/suspend`, 'Suspend user', { kind: '' })}<a class="button" href="${request.to(`${here(request)}/password`)}">Set password</a>`,
  show: async (request, user) => html`${facts([
    ['Status', stateOf(user)],
    ['Username', user.username],
    ['Email address', user.primaryEmail],
    ['Phone number', user.primaryPhone],
    ['Password', user.hasPassword ? 'Set' : null],
    ['Last sign-in', when(user.lastSignInAt, request.now)],
    ['Created', when(user.createdAt, request.now)],
    ['ID', copyable(user.id)],
  ])}
${await relationSection(heldRoles, request)}
${await factorSection(request)}`,
  deleteWarning: 'Their sessions, tokens, and impersonations end. The audit log keeps only their ID.',
  routes: [
    ...relationRoutes(heldRoles),
    ...factorRoutes,
    action(`${PATH}/suspend`, showHere, (request) => suspend(request, true)),
    action(`${PATH}/reactivate`, showHere, (request) => suspend(request, false)),
    form(`${PATH}/password`, showPassword, setPassword),
  ],
};

export const userRoutes = entityRoutes(userPages);
