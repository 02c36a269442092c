import { html } from '../../../pages/html.ts';
import {
  contains,
  filled,
  readThing,
  showThing,
  type Thing,
  type Things,
  thingRoutes,
} from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, field, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, state, when } from '../../parts/parts.ts';
import { type Attempt, action, form, type Page, type Visit } from '../../route.ts';
import { personOf, roleOf, roles } from './choices.ts';
import { factorRoutes, factorSection } from './factors.ts';

const OF = '/directory/users/:userId';

const heldRoles: Relation = {
  of: OF,
  name: 'roles',
  title: 'Roles',
  lead: 'What this person may do.',
  list: '/users/:userId/roles',
  joinedOf: () => roleOf,
  choices: roles('User'),
  add: '/users/:userId/roles',
  idsAs: 'roleIds',
  remove: '/users/:userId/roles/:roleId',
  idAs: 'roleId',
  empty: 'This person has no role.',
};

const stateOf = ({ isSuspended }: Thing) => (isSuspended ? state('bad', 'Suspended') : state('ok', 'Active'));

const here = (visit: Visit): string => filled(OF, visit.params);

/** Later than the routes that name it: the two know of each other. */
const showHere = showThing(() => things);

async function suspend(visit: Visit, isSuspended: boolean) {
  await visit.perform('PATCH /users/:userId/is-suspended', { params: visit.params, body: { isSuspended } });
  const back = { path: `${here(visit)}/${isSuspended ? 'reactivate' : 'suspend'}` };
  const text = isSuspended
    ? 'Suspended: sessions, tokens and impersonations of this person have ended.'
    : 'This person may sign in again.';
  return { to: here(visit), flash: { text, undo: back } };
}

async function showPassword(visit: Visit, attempt?: Attempt): Promise<Page> {
  const user = await readThing(things, visit);
  const faults = faultsOf(attempt);
  const hint = 'Tell it to the person over a channel you trust. They can change it on their account page.';
  return {
    title: `Set the password of ${personOf(user).name}`,
    back: { path: here(visit), label: personOf(user).name },
    content: formOf(visit, {
      path: visit.path,
      content: field({ name: 'password', label: 'New password', type: 'password', hint, faults }),
      submit: 'Set password',
      cancel: here(visit),
      faults,
    }),
  };
}

async function setPassword(visit: Visit) {
  const password = visit.sent.get('password') ?? '';
  await visit.perform('PATCH /users/:userId/password', { params: visit.params, body: { password } });
  return { to: here(visit), flash: { text: 'The password was set.' } };
}

const things: Things = {
  path: '/directory/users',
  list: '/users',
  item: '/users/:userId',
  one: 'user',
  many: 'Users',
  lead: 'People who sign in to the applications of this tenant.',
  nameOf: (user) => personOf(user).name,
  searchAs: contains,
  columns: ({ now }) => [
    { label: 'Signs in with', cell: (user) => personOf(user).about },
    { label: 'State', cell: stateOf },
    { label: 'Last sign-in', cell: ({ lastSignInAt }) => when(lastSignInAt as number | null, now) },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt as number, now) },
  ],
  fields: [
    { name: 'name', label: 'Name', isOptional: true },
    { name: 'username', label: 'Username', isOptional: true, hint: 'Letters, digits and _; not a digit first.' },
    { name: 'primaryEmail', label: 'E-mail address', isOptional: true },
    { name: 'primaryPhone', label: 'Phone number', isOptional: true, hint: 'Digits with the country code, without +.' },
    { name: 'password', label: 'Password', kind: 'password', isOptional: true, on: 'create' },
    { name: 'customData', label: 'Custom data', kind: 'json', hint: 'Any JSON object. Scripts can read it.' },
  ],
  actions: (visit, { id, isSuspended }) =>
    html`${!isSuspended && html`<a class="button" href="${visit.to(`/impersonations/new?userId=${encodeURIComponent(id)}`)}">Act as this user</a>`}${isSuspended ? buttonForm(visit, `${here(visit)}/reactivate`, 'Reactivate', { kind: '' }) : buttonForm(visit, `${here(visit)}/suspend`, 'Suspend', { kind: '' })}<a class="button" href="${visit.to(`${here(visit)}/password`)}">Set password</a>`,
  show: async (visit, user) => html`${facts([
    ['State', stateOf(user)],
    ['Username', user.username as string | null],
    ['E-mail', user.primaryEmail as string | null],
    ['Phone', user.primaryPhone as string | null],
    ['Password', user.hasPassword ? 'set' : null],
    ['Last sign-in', when(user.lastSignInAt as number | null, visit.now)],
    ['Created', when(user.createdAt as number, visit.now)],
    ['Id', copyable(user.id)],
  ])}
${await relationSection(heldRoles, visit)}
${await factorSection(visit)}`,
  loses: 'Their sessions, tokens and impersonations end. The audit log keeps the id.',
  parts: [
    ...relationRoutes(heldRoles),
    ...factorRoutes,
    action(`${OF}/suspend`, showHere, (visit) => suspend(visit, true)),
    action(`${OF}/reactivate`, showHere, (visit) => suspend(visit, false)),
    form(`${OF}/password`, showPassword, setPassword),
  ],
};

export const userRoutes = thingRoutes(things);
