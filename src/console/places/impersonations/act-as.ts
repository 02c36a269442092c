import { ServiceError } from '../../../errors.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { contains } from '../../entities/entity-pages.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { fieldWith, formOf } from '../../parts/form-parts.ts';
import { nameOf, namesOf } from '../../parts/names.ts';
import { copyable, duration, FIRST_PAGE, facts, note, pageQuery, pager, search, table } from '../../parts/parts.ts';
import { pickerOf } from '../../parts/picker.ts';
import { type ConsoleRequest, form, type Page, type Redirect, type RefusedForm } from '../../route.ts';
import type { Policy } from './policy.ts';

/** Creates subject tokens in the console, in place of an integrating backend. An application then exchanges the token. */

type User = Result<'GET /users/:userId'>;

/** Context keys that the console always sets. The policy may require more. */
const CONSOLE_KEYS = ['reason', 'ticketId', 'supportEngineerId'];

/** The first step: choose the user. */
async function showUsers(request: ConsoleRequest): Promise<Page> {
  const text = request.query.get('q')?.trim() ?? '';
  const query = { ...pageQuery(request), ...(text && contains(text)) };
  const { value: users, total } = await request.perform('GET /users', { query });
  const to = (id: string) => request.to(`/impersonations/new?${new URLSearchParams({ userId: id })}`);
  return {
    title: 'Act as a user',
    lead: 'Choose a user.',
    back: { path: '/impersonations', label: 'Impersonations' },
    content: html`${search(request, 'Search users')}
${table({
  caption: 'Users',
  rows: users,
  empty: text ? html`<p>No users match “${text}”.</p>` : 'No users yet.',
  columns: [
    { label: 'Name', cell: (user) => html`<a href="${to(user.id)}">${nameOf(user)}</a>` },
    { label: 'Username', cell: ({ username }) => username },
    { label: 'Email address', cell: ({ primaryEmail }) => primaryEmail },
  ],
})}
${pager(request, total)}`,
  };
}

/** Returns the reason why this user can't be impersonated, so that it is shown instead of the form. */
async function refusalOf(request: ConsoleRequest, user: User, { protectedRoleIds }: Policy): Promise<Html | undefined> {
  const name = nameOf(user);
  if (user.isSuspended) return html`${name} is suspended. Suspended users can’t be impersonated.`;
  if (protectedRoleIds.length === 0) return undefined;
  const params = { userId: user.id };
  const { value: roles } = await request.perform('GET /users/:userId/roles', { params });
  const protectedRole = roles.find(({ id }) => protectedRoleIds.includes(id));
  return (
    protectedRole &&
    html`${name} has the role ${protectedRole.name}, which the <a href="${request.to('/impersonations/policy')}">policy</a> protects.`
  );
}

const fieldOf = (key: string): string => (CONSOLE_KEYS.includes(key) ? key : `context.${key}`);

/** Shows missing context keys at their fields. */
function faultsIn(refused: RefusedForm | undefined): Faults {
  const { keys } = (refused?.error.data ?? {}) as { keys?: string[] };
  if (!keys) return faultsOf(refused);
  return {
    general: undefined,
    fields: new Map(keys.map((key) => [fieldOf(key), 'Required by the impersonation policy.'])),
  };
}

/** The applications that may exchange a subject token. */
async function exchangers({ perform }: ConsoleRequest) {
  const { value } = await perform('GET /applications', { query: { isThirdParty: 'false' } });
  return value.filter(({ customClientMetadata }) => customClientMetadata.allowTokenExchange === true);
}

async function fieldsOf(request: ConsoleRequest, policy: Policy, refused: RefusedForm | undefined): Promise<Html[]> {
  const input = fieldWith(refused?.values, faultsIn(refused));
  const applications = await exchangers(request);
  const actorId = refused?.values.get('actorId') ?? '';
  const names = await namesOf(request, { users: [actorId || null], applications: [] });
  const { value: resources } = await request.perform('GET /resources', { query: FIRST_PAGE });
  const needs = (key: string) => policy.requiredContextKeys.includes(key);
  const noExchanger = html`No application may exchange tokens yet, so this subject token cannot be used. Allow it on the page of an <a href="${request.to('/directory/applications')}">application</a>.`;
  const otherKeys = policy.requiredContextKeys.filter((key) => !CONSOLE_KEYS.includes(key));
  return [
    ...(applications.length === 0 ? [note('warn', noExchanger)] : []),
    input({ name: 'reason', label: 'Reason', hint: 'Recorded in the audit log and passed to the claims script.' }),
    input({ name: 'ticketId', label: 'Ticket', isOptional: !needs('ticketId') }),
    ...otherKeys.map((key) => input({ name: fieldOf(key), label: key })),
    input({
      name: 'clientId',
      label: 'Limit to application',
      options: [
        ['', 'Any application that may exchange tokens'],
        ...applications.map(({ id, name }) => [id, name] as const),
      ],
    }),
    input({
      name: 'resource',
      label: 'Limit to resource',
      options: [['', 'Any resource'], ...resources.map(({ indicator, name }) => [indicator, name] as const)],
    }),
    pickerOf(
      'user',
      names.users.get(actorId),
      input({
        name: 'actorId',
        label: 'Limit to actor',
        isOptional: true,
        hint: `A user. The exchange must ${policy.requireActor ? '' : 'then '}include an actor token of this user.`,
      }),
    ),
  ];
}

async function showStart(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const userId = refused?.values.get('userId') ?? request.query.get('userId');
  if (!userId) return showUsers(request);
  const { value: user } = await request.perform('GET /users/:userId', { params: { userId } });
  const { value: policy } = await request.perform('GET /configs/impersonation');
  const refusal = refused ? undefined : await refusalOf(request, user, policy);
  const name = nameOf(user);
  const summary = facts([
    ['User', name],
    ['User ID', copyable(user.id)],
    ['Subject token', `Single use, expires after ${duration(policy.subjectTokenTtl)}`],
  ]);
  const fields = async () =>
    html`<input type="hidden" name="userId" value="${user.id}">${await fieldsOf(request, policy, refused)}`;
  return {
    title: `Act as ${name}`,
    lead: 'Creates a subject token, which an application exchanges for an access token that acts as this user.',
    back: { path: '/impersonations', label: 'Impersonations' },
    content: html`${summary}
${refusal ? note('warn', refusal) : formOf(request, { path: request.path, content: await fields(), submit: 'Create subject token', cancel: '/impersonations', faults: faultsIn(refused) })}`,
  };
}

/** Returns the context, including the administrator: the documented claims script adds them to the token. */
function contextOf({ submitted, administrator }: ConsoleRequest): Record<string, string> {
  const entries = [...submitted].flatMap(([name, value]) => {
    const key = name.startsWith('context.') ? name.slice('context.'.length) : name;
    return (key !== name || key === 'reason' || key === 'ticketId') && value.trim() !== ''
      ? [[key, value.trim()] as const]
      : [];
  });
  return { ...Object.fromEntries(entries), supportEngineerId: administrator.id };
}

async function start(request: ConsoleRequest): Promise<Redirect> {
  const { submitted } = request;
  // The console always requires a reason, even if the policy does not.
  if (!submitted.get('reason')?.trim())
    throw new ServiceError('guard.invalid_input', { details: 'body.reason: Enter a reason.' });
  const restrictions = ['clientId', 'resource', 'actorId'].flatMap((name) => {
    const value = submitted.get(name)?.trim();
    return value ? [[name, value] as const] : [];
  });
  const userId = submitted.get('userId') ?? '';
  const body = { userId, context: contextOf(request), ...Object.fromEntries(restrictions) };
  const { value } = await request.perform('POST /subject-tokens', { body });
  const text = `This is the subject token. It can be exchanged once, within ${duration(value.expiresIn)}.`;
  const secrets = [{ label: 'Subject token', value: value.subjectToken }];
  return { to: '/impersonations/tokens', flash: { text, secrets } };
}

export const startPages = [form('/impersonations/new', showStart, start, 'POST /subject-tokens')];
