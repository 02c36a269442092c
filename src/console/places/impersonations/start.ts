import { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../pages/html.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { nameOf } from '../../parts/names.ts';
import { copyable, facts, note, search, table } from '../../parts/parts.ts';
import { type Attempt, form, type Next, type Page, type Visit } from '../../route.ts';
import type { Policy } from './policy.ts';

/** The console as the integrator: it asks why, and hands out the subject token, which an application then exchanges. */

type User = Parameters<typeof nameOf>[0] & { isSuspended: boolean };
type Named = { id: string; name: string; indicator: string };

/** What the form asks for anyway; a policy may require more. */
const ASKED = ['reason', 'ticketId', 'supportEngineerId'];

const contains = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** First: as whom. */
async function showPeople(visit: Visit): Promise<Page> {
  const text = visit.query.get('q')?.trim() ?? '';
  const query = { page: '1', page_size: '20', ...(text && { search: contains(text) }) };
  const { value: people } = await visit.perform<User[]>('GET /users', { query });
  const to = (id: string) => visit.to(`/impersonations/new?${new URLSearchParams({ userId: id })}`);
  return {
    title: 'Act as a user',
    lead: 'As whom?',
    back: { path: '/impersonations', label: 'Impersonations' },
    content: html`${search(visit, 'Search users')}
${table({
  caption: 'Users',
  rows: people,
  empty: text ? html`<p>No user is like “${text}”.</p>` : 'There is no user yet.',
  columns: [
    { label: 'Name', cell: (user) => html`<a href="${to(user.id)}">${nameOf(user)}</a>` },
    { label: 'Username', cell: ({ username }) => username },
    { label: 'E-mail address', cell: ({ primaryEmail }) => primaryEmail },
  ],
})}`,
  };
}

/** Why it cannot begin, before anybody fills in a form. */
async function refusalOf(visit: Visit, user: User, { protectedRoleIds }: Policy): Promise<Html | undefined> {
  const name = nameOf(user);
  if (user.isSuspended) return html`${name} is suspended. Nobody can act as a suspended user.`;
  if (protectedRoleIds.length === 0) return undefined;
  const { value: roles } = await visit.perform<Named[]>('GET /users/:userId/roles', { params: { userId: user.id } });
  const shield = roles.find(({ id }) => protectedRoleIds.includes(id));
  return (
    shield &&
    html`${name} holds the role ${shield.name}, which the <a href="${visit.to('/impersonations/policy')}">policy</a> protects.`
  );
}

const fieldOf = (key: string): string => (ASKED.includes(key) ? key : `context.${key}`);

/** What the policy misses is said at the fields that would hold it. */
function faultsIn(attempt: Attempt | undefined): Faults {
  const { keys } = (attempt?.error.data ?? {}) as { keys?: string[] };
  if (!keys) return faultsOf(attempt);
  return { general: undefined, fields: new Map(keys.map((key) => [fieldOf(key), 'The policy asks for it.'])) };
}

const EVERY = { page: '1', page_size: '100' };

async function fieldsOf(visit: Visit, policy: Policy, attempt: Attempt | undefined): Promise<Html[]> {
  const faults = faultsIn(attempt);
  const typed = (name: string) => attempt?.typed.get(name) ?? '';
  const { value: applications } = await visit.perform<Named[]>('GET /applications', { query: EVERY });
  const { value: resources } = await visit.perform<Named[]>('GET /resources', { query: EVERY });
  const needs = (key: string) => policy.requiredContextKeys.includes(key);
  const further = policy.requiredContextKeys.filter((key) => !ASKED.includes(key));
  return [
    field({
      name: 'reason',
      label: 'Why',
      hint: 'Kept in the audit log, and given to the claims script.',
      value: typed('reason'),
      faults,
    }),
    field({ name: 'ticketId', label: 'Ticket', isOptional: !needs('ticketId'), value: typed('ticketId'), faults }),
    ...further.map((key) =>
      field({
        name: fieldOf(key),
        label: key,
        value: typed(fieldOf(key)),
        faults,
      }),
    ),
    field({
      name: 'clientId',
      label: 'Only in',
      value: typed('clientId'),
      options: [
        ['', 'Any application that may exchange tokens'],
        ...applications.map(({ id, name }) => [id, name] as const),
      ],
      faults,
    }),
    field({
      name: 'resource',
      label: 'Only for',
      value: typed('resource'),
      options: [['', 'Any resource'], ...resources.map(({ indicator, name }) => [indicator, name] as const)],
      faults,
    }),
    field({
      name: 'actorId',
      label: 'Only by',
      isOptional: true,
      isMono: true,
      hint: policy.requireActor
        ? 'Id of the user whose token must come along as the actor.'
        : 'Id of a user: whoever exchanges it then needs their token as the actor.',
      value: typed('actorId'),
      faults,
    }),
  ];
}

async function showStart(visit: Visit, attempt?: Attempt): Promise<Page> {
  const userId = attempt?.typed.get('userId') ?? visit.query.get('userId');
  if (!userId) return showPeople(visit);
  const { value: user } = await visit.perform<User>('GET /users/:userId', { params: { userId } });
  const { value: policy } = await visit.perform<Policy>('GET /configs/impersonation');
  const refusal = attempt ? undefined : await refusalOf(visit, user, policy);
  const name = nameOf(user);
  const person = facts([
    ['As whom', name],
    ['Id', copyable(user.id)],
    ['Usable', `once, within ${Math.round(policy.subjectTokenTtl / 60)} min`],
  ]);
  const fields = async () =>
    html`<input type="hidden" name="userId" value="${user.id}">${await fieldsOf(visit, policy, attempt)}`;
  return {
    title: `Act as ${name}`,
    lead: 'You get a subject token, which an application exchanges for an access token of this person.',
    back: { path: '/impersonations', label: 'Impersonations' },
    content: html`${person}
${refusal ? note('warn', refusal) : formOf(visit, { path: visit.path, content: await fields(), submit: `Get a token to act as ${name}`, cancel: '/impersonations', faults: faultsIn(attempt) })}`,
  };
}

/** Whoever asked is part of it: the documented claims script puts them into the token. */
function contextOf({ sent, administrator }: Visit): Record<string, string> {
  const given = [...sent].flatMap(([name, value]) => {
    const key = name.startsWith('context.') ? name.slice('context.'.length) : name;
    return (key !== name || key === 'reason' || key === 'ticketId') && value.trim() !== ''
      ? [[key, value.trim()] as const]
      : [];
  });
  return { ...Object.fromEntries(given), supportEngineerId: administrator.id };
}

async function start(visit: Visit): Promise<Next> {
  const { sent } = visit;
  // The console's own rule, whatever the policy says: nobody acts as somebody from here without saying why.
  if (!sent.get('reason')?.trim()) throw new ServiceError('guard.invalid_input', { details: 'body.reason: Say why.' });
  const restrictions = ['clientId', 'resource', 'actorId'].flatMap((name) => {
    const value = sent.get(name)?.trim();
    return value ? [[name, value] as const] : [];
  });
  const body = { userId: sent.get('userId') ?? '', context: contextOf(visit), ...Object.fromEntries(restrictions) };
  const { value } = await visit.perform<{ subjectToken: string; expiresIn: number }>('POST /subject-tokens', { body });
  const text = `This is the subject token. It can be exchanged once, within ${Math.round(value.expiresIn / 60)} minutes.`;
  return {
    to: '/impersonations/tokens',
    flash: { text, secrets: [{ label: 'Subject token', value: value.subjectToken }] },
  };
}

export const startPages = [form('/impersonations/new', showStart, start)];
