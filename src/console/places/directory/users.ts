import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { contains, type EntityPages, entityRoutes, showEntity } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, buttonLink, field, formPage } from '../../parts/form-parts.ts';
import { copyable, facts, section, state, timeOrder, when } from '../../parts/parts.ts';
import { action, form, type Page, type RefusedForm } from '../../route.ts';
import { factorRoutes, factorSection } from './factors.ts';
import { roleChoices, roleOf, userOf } from './related-items.ts';
import { accessRoutes, organizations, scopes } from './user-access.ts';
import { activity, impersonationsAsActor, impersonationsOf } from './user-history.ts';
import { identityRoutes, identitySection } from './user-identities.ts';
import { type AtUser, listSection, USER, userPath } from './user-lists.ts';
import { grants, sessionRoutes, sessions } from './user-sessions.ts';

const ENTITY = '/users/:userId';

const heldRoles: Relation<'/users/:userId/roles'> = {
  list: '/users/:userId/roles',
  remove: 'DELETE /users/:userId/roles/:roleId',
  title: 'Roles',
  lead: 'Roles that define what this user may do.',
  isPaged: true,
  itemOf: roleOf,
  choices: roleChoices('User'),
  empty: 'No roles yet.',
};

const stateOf = ({ isSuspended }: { isSuspended: boolean }) =>
  isSuspended ? state('bad', 'Suspended') : state('ok', 'Active');

/** A function, because `userPages` is defined below and refers to the routes that need this page. */
const showHere = showEntity(() => userPages);

const SUSPENSION = 'PATCH /users/:userId/is-suspended';

async function suspend(request: AtUser, isSuspended: boolean) {
  await request.perform(SUSPENSION, { body: { isSuspended } });
  const back = { path: `${userPath(request)}/${isSuspended ? 'reactivate' : 'suspend'}` };
  const text = isSuspended
    ? 'User suspended. Their sessions, tokens, and impersonations have ended.'
    : 'User reactivated. They can sign in again.';
  return { to: userPath(request), flash: { text, undo: back } };
}

async function showPassword(request: AtUser, refused?: RefusedForm): Promise<Page> {
  const { name } = userOf((await request.perform(`GET ${ENTITY}`)).value);
  const hint = 'Send it to the user over a channel you trust. They can change it on their account page.';
  return formPage(request, refused, {
    title: `Set password of ${name}`,
    back: { path: userPath(request), label: name },
    content: field({ name: 'password', label: 'New password', type: 'password', hint, faults: faultsOf(refused) }),
    submit: 'Set password',
  });
}

async function setPassword(request: AtUser) {
  const password = request.submitted.get('password') ?? '';
  await request.perform('PATCH /users/:userId/password', { body: { password } });
  return { to: userPath(request), flash: { text: 'Password set.' } };
}

type User = Result<'GET /users/:userId'>;

const factsOf = ({ now }: AtUser, user: User): Html =>
  facts([
    ['Status', stateOf(user)],
    ['Username', user.username],
    ['Email address', user.primaryEmail],
    ['Phone number', user.primaryPhone],
    ['Password', user.hasPassword ? 'Set' : null],
    ['Last sign-in', when(user.lastSignInAt, now)],
    ['Created', when(user.createdAt, now)],
    ['ID', copyable(user.id)],
  ]);

const jsonOf = (value: object): Html | false =>
  Object.keys(value).length > 0 && html`<pre class="mono" tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;

/** The claims of the profile that are set, and the custom data. */
function profileSection({ profile, customData }: User): Html {
  const [claims, data] = [jsonOf(profile), jsonOf(customData)];
  if (!claims && !data) return section('Profile and custom data', html`<p class="quiet">Not set.</p>`);
  return html`${claims && section('Profile', claims)}${data && section('Custom data', data)}`;
}

const userPages: EntityPages<'/users/:userId'> = {
  path: '/directory/users',
  entity: '/users/:userId',
  singular: 'user',
  plural: 'Users',
  lead: 'Users who sign in to the applications of this tenant.',
  nameOf: (user) => userOf(user).name,
  searchQuery: contains,
  isOrdered: true,
  export: 'users',
  bulk: {
    id: 'suspend-selected',
    path: '/directory/users/suspend-selected',
    list: { path: '/directory/users', label: 'Users' },
    label: 'Suspend selected',
    noun: 'user',
    done: 'suspended',
    title: (count) => `Suspend ${count}`,
    warning: 'Their sessions, tokens, and impersonations end. They can be reactivated one by one.',
    needs: 'PATCH /users/:userId/is-suspended',
    isOffered: ({ isSuspended }) => !isSuspended,
    run: ({ perform }, userId) =>
      perform('PATCH /users/:userId/is-suspended', { params: { userId }, body: { isSuspended: true } }),
  },
  columns: (request) => [
    { label: 'Signs in with', cell: (user) => userOf(user).about },
    { label: 'Status', cell: stateOf },
    { label: 'Last sign-in', cell: ({ lastSignInAt }) => when(lastSignInAt, request.now) },
    {
      label: 'Created',
      head: timeOrder(request, 'Created'),
      cell: ({ createdAt }) => when(createdAt, request.now),
    },
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
    html`${!isSuspended && buttonLink(request, `/impersonations/new?userId=${encodeURIComponent(id)}`, 'Act as this user')}${isSuspended ? buttonForm(request, `${userPath(request)}/reactivate`, 'Reactivate user', { kind: '' }) : buttonForm(request, `${userPath(request)}/suspend`, 'Suspend user', { kind: '' })}${buttonLink(request, `${userPath(request)}/password`, 'Set password')}`,
  show: async (request, user) => {
    const sections = await Promise.all([
      relationSection(heldRoles, request),
      listSection(scopes, request),
      listSection(organizations, request),
      identitySection(request),
      factorSection(request),
      listSection(sessions, request),
      listSection(grants, request),
      listSection(impersonationsOf, request),
      listSection(impersonationsAsActor, request),
      listSection(activity, request),
    ]);
    return html`${factsOf(request, user)}${profileSection(user)}${sections}`;
  },
  deleteWarning: 'Their sessions, tokens, and impersonations end. The audit log keeps only their ID.',
  routes: [
    ...relationRoutes(heldRoles),
    ...factorRoutes,
    ...accessRoutes,
    ...identityRoutes,
    ...sessionRoutes,
    action(`${USER}/suspend`, showHere, (request) => suspend(request, true), SUSPENSION),
    action(`${USER}/reactivate`, showHere, (request) => suspend(request, false), SUSPENSION),
    form(`${USER}/password`, showPassword, setPassword, 'PATCH /users/:userId/password'),
  ],
};

export const userRoutes = entityRoutes(userPages);
