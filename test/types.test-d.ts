import Type from 'typebox';
import type { OperatorApi } from '../src/admin/tenants.ts';
import type { Body } from '../src/console/api.ts';
import { bodyOf, type EntityField } from '../src/console/entities/entity-fields.ts';
import { type ConsoleRequest, form, page as pageAt } from '../src/console/route.ts';
import type { TenantStore } from '../src/database/store/tenant-store.ts';
import { Role, User } from '../src/entities.ts';
import { operation } from '../src/http/operations/operation.ts';
import type { ManagementApi } from '../src/management/index.ts';
import { byId } from '../src/management/shared/listing.ts';
import { html } from '../src/pages/html.ts';
import type { Proof, Verification } from '../src/sign-in/interaction/verification.ts';

/** Mistakes that must not compile: `npm run check` fails if one of these does. A section for each part. */

// Operations

const probe = { role: 'viewer' as const, summary: 'A probe', status: 200 };
const support = {
  tenantId: 't',
  id: 'r',
  name: 'Support',
  description: 'Helps',
  type: 'User',
  isDefault: false,
} as const;
const found = { ...probe, run: async () => support };
const page = { rows: [support], total: 1 };
const roles = { ...probe, returns: Type.Array(Role) };
const Kind = Type.Object({ kind: Type.Enum(['a', 'b']) });
const Name = Type.Object({ name: Type.String() });

export const refusedAsOperations = [
  operation('GET /p', { ...probe, returns: Role, run: async () => ({ ...support, secret: 'is not sent' }) }),
  // @ts-expect-error: the role of an administrator is missing
  operation('GET /p', { summary: 'p', status: 200, run: async () => undefined }),
  // @ts-expect-error: fields of the response are missing
  operation('GET /p', { ...probe, returns: User, run: async () => ({ id: 'u' }) }),
  // @ts-expect-error: a field of the response has another type
  operation('GET /p', { ...probe, returns: Role, run: async () => ({ ...support, name: 42 }) }),
  // @ts-expect-error: nothing is returned
  operation('GET /p', { ...probe, returns: Role, run: async () => undefined }),
  // @ts-expect-error: a row of another table
  operation('GET /p/:id', byId('applications', 'Get a role', Role)),
  // @ts-expect-error: a media type for a response that is no text
  operation('GET /p', { ...probe, returns: Role, contentType: 'text/plain', run: async () => support }),

  operation('GET /p', { ...roles, paginated: 'always', run: async () => page }),
  // @ts-expect-error: no list
  operation('GET /p', { ...roles, paginated: 'always', run: async () => 'not a list' }),
  // @ts-expect-error: a list without the number of all items
  operation('GET /p', { ...roles, paginated: 'always', run: async () => [support] }),
  // @ts-expect-error: a list of other items
  operation('GET /p', { ...probe, returns: Type.Array(User), paginated: 'always', run: async () => page }),
  // @ts-expect-error: a page of an operation without pages
  operation('GET /p', { ...roles, run: async () => page }),
  operation('GET /p', { ...roles, paginated: 'always', run: async ({ page }) => ({ rows: [], total: page.limit }) }),
  // @ts-expect-error: there is no page if the whole list is requested
  operation('GET /p', { ...roles, paginated: 'optional', run: async ({ page }) => ({ rows: [], total: page.limit }) }),
  // @ts-expect-error: there is no page without pages
  operation('GET /p', { ...probe, run: async ({ page }) => page.limit }),

  operation('GET /p/:kind', { ...probe, params: Kind, returns: Kind, run: async ({ params }) => params }),
  // @ts-expect-error: a parameter whose values are not known
  operation('GET /p/:kind', { ...probe, returns: Kind, run: async ({ params }) => params }),
  // @ts-expect-error: no such parameter in the path
  operation('GET /p/:id', { ...probe, run: async ({ params }) => params.name }),
  // @ts-expect-error: no parameter of the query
  operation('GET /p', { ...probe, run: async ({ query }) => query.name }),
  // @ts-expect-error: no such parameter of the query
  operation('GET /p', { ...probe, query: Name, run: async ({ query }) => query.nam }),
  // @ts-expect-error: no body
  operation('POST /p', { ...probe, run: async ({ body }) => body.name }),
  // @ts-expect-error: no such field in the body
  operation('POST /p', { ...probe, body: Name, run: async ({ body }) => body.nam }),

  operation('POST /p', { ...found, event: 'Role.Created' }),
  operation('POST /p', { ...probe, event: 'Role.Deleted', run: async () => undefined }),
  operation('POST /p', { ...found, event: 'User.Created', eventFields: ({ id }) => ({ id }) }),
  // @ts-expect-error: no such event
  operation('POST /p', { ...found, event: 'Role.Painted' }),
  // @ts-expect-error: the outcome does not contain the data of the event
  operation('POST /p', { ...found, event: 'User.Created' }),
  // @ts-expect-error: no such field in the outcome, for the event
  operation('POST /p', { ...found, event: 'Role.Created', eventFields: ({ nam }) => ({ nam }) }),
  // @ts-expect-error: no such field in the outcome, for the audit log
  operation('POST /p', { ...found, audit: ({ nam }) => ({ nam }) }),
];

export const refusedAsCalls: Partial<ManagementApi & OperatorApi>[] = [
  { 'DELETE /roles/:id': { params: { id: 'r' }, query: {}, body: undefined, result: undefined, total: undefined } },
  // @ts-expect-error: no such operation
  { 'DELETE /rules/:id': {} },
  // @ts-expect-error: no such operation on members
  { 'PUT /organizations/:id/robots': {} },
];

// The store

const role = { id: 'r', name: 'Support', description: 'Helps', type: 'User' } as const;

export const refusedByTheStore = (store: TenantStore) => [
  store.insert('roles', role),
  // @ts-expect-error: required columns are missing
  store.insert('users', {}),
  // @ts-expect-error: a required column is missing
  store.add('roleScopes', [{ roleId: 'r' }]),
  // @ts-expect-error: a required column is undefined
  store.insert('roles', { ...role, name: undefined }),
  // @ts-expect-error: no such column
  store.insert('roles', { ...role, colour: 'red' }),
  // @ts-expect-error: a value of another type
  store.insert('roles', { ...role, type: 'Robot' }),
  // @ts-expect-error: only the store sets the tenant
  store.insert('roles', { ...role, tenantId: 'other' }),
  // @ts-expect-error: a new row lacks required columns
  store.put('configs', { key: 'sandbox' }, {}),
  // @ts-expect-error: not the primary key
  store.put('oidcPayloads', { id: 'p' }, { payloadEncrypted: '' }),

  store.find('signInSettings', {}),
  store.find('oidcPayloads', { model: 'Session', uid: null }),
  // @ts-expect-error: no condition
  store.removeAll('users', {}),
  // @ts-expect-error: no condition
  store.change('users', {}, { isSuspended: true }),
  // @ts-expect-error: a key without its value
  store.remove('users', { id: undefined }),
  // @ts-expect-error: a key without one of its values
  store.find('oidcPayloads', { model: 'Session', uid: undefined }),
  // @ts-expect-error: no such column
  store.find('users', { identifier: 'u' }),
  // @ts-expect-error: a value of another type
  store.find('users', { id: 42 }),
  // @ts-expect-error: a patch of another type
  store.update('users', { id: 'u' }, { isSuspended: 'yes' }),
  // @ts-expect-error: no such column
  store.update('users', { id: 'u' }, { isSuspnded: true }),
  // @ts-expect-error: not null in the database
  store.update('roles', { id: 'r' }, { name: null }),

  store.from('users').select(store.fragment('1 as one')),
  // @ts-expect-error: a fragment does not run by itself
  store.fragment('1').then(() => {}),
  // @ts-expect-error: a statement gets nothing that reaches another tenant
  store.write(['roles'], async ({ db }) => db('roles').update({ name: 'x' })),
];

export async function awaited(store: TenantStore) {
  // @ts-expect-error: a fragment cannot be awaited
  await store.fragment('1');
}

// The console

export async function refusedByTheConsole(anywhere: ConsoleRequest, atHook: ConsoleRequest<{ id: string }>) {
  const { perform } = anywhere;
  await perform('POST /roles', { body: { name: 'Support', description: 'Helps' } });
  // @ts-expect-error: no such operation
  await perform('GET /no-such-row');
  // @ts-expect-error: no such member of the body
  await perform('POST /roles', { body: { nam: 'typo', description: 'Helps' } });
  // @ts-expect-error: a member of the body is missing
  await perform('POST /roles', { body: { name: 'Support' } });
  // @ts-expect-error: no body
  await perform('POST /roles');
  // @ts-expect-error: a body of an operation without one
  await perform('GET /roles', { body: {} });
  // @ts-expect-error: no such parameter of the query
  await perform('GET /impersonations', { query: { subject: 'u' } });

  await atHook.perform('PATCH /hooks/:id', { body: { enabled: false } });
  await perform('PATCH /hooks/:id', { params: { id: 'h' }, body: { enabled: false } });
  // @ts-expect-error: the page has no such path parameter
  await perform('GET /hooks/:id');
  // @ts-expect-error: the page has one of the two path parameters
  await atHook.perform('GET /hooks/:id/deliveries/:deliveryId');
  // @ts-expect-error: a call names all path parameters or none
  await atHook.perform('GET /hooks/:id/deliveries/:deliveryId', { params: { deliveryId: 'd' } });

  const { value, total } = await perform('GET /impersonations');
  // @ts-expect-error: no such member of the result
  value[0]?.reason;
  // @ts-expect-error: a list is no single one
  value.subjectId;
  const { total: none } = await perform('GET /connectors');
  // @ts-expect-error: a list without pages has no total
  return total + none;
}

const showHook = ({ params: { id } }: ConsoleRequest<{ id: string }>) => ({ title: id, content: html`` });

export const refusedAsPages = [
  pageAt('/webhooks/:id/test', showHook),
  // @ts-expect-error: the path has no such parameter
  pageAt('/webhooks', showHook),
  // @ts-expect-error: the form of another path
  form('/webhooks/:hookId', showHook, async () => ({ to: '' }), 'PATCH /hooks/:id'),
  // @ts-expect-error: the operation that the form performs is missing
  form('/webhooks/:id', showHook, async () => ({ to: '' })),
];

const hookField: EntityField<Body<'POST /hooks'>> = { name: 'config.url', label: 'URL' };
export const refusedAsFields: EntityField<Body<'POST /hooks'>>[] = [
  hookField,
  // @ts-expect-error: no such member of the body
  { name: 'config.link', label: 'URL' },
  // @ts-expect-error: no such member of the body
  { name: 'enabeld', label: 'Enabled' },
];
// @ts-expect-error: fields of the body of another operation
export const refusedAsBody: Body<'POST /roles'> = bodyOf([hookField], new URLSearchParams(), true);

// Sign-in

export function refusedInSignIn(proof: Verification): unknown[] {
  const isStarted = proof.type === 'Totp' && !proof.isVerified;
  const isConfirmed = proof.type === 'Social' && proof.isVerified;
  return [
    isStarted && proof.details.secret,
    // @ts-expect-error: details of another proof
    isStarted && proof.details.codes,
    isConfirmed && proof.details?.target,
    // @ts-expect-error: a given proof may have no details any more
    isConfirmed && proof.details.target,
    // @ts-expect-error: details before it is known which proof it is
    proof.details?.secret,
  ];
}

export const refusedAsProofs: Proof[] = [
  { type: 'WebAuthn', isVerified: true, factorId: 'f' },
  // @ts-expect-error: a ceremony without its challenge
  { type: 'WebAuthn', isVerified: false },
  // @ts-expect-error: a code without the address that it was sent to
  { type: 'EmailVerificationCode', isVerified: false, details: { codeId: 'c', sentAt: 0 } },
];
