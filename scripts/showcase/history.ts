import { setTimeout as pause } from 'node:timers/promises';
import { hashOf, newId } from '../../src/base/ids.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/times.ts';
import { writeFigures } from '../../src/database/statistics/figure-writer.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { DEFAULT_TENANT } from '../../src/tenants.ts';
import { withDatabase } from '../support/running-service.ts';
import { signIn } from '../support/sign-in.ts';
import { type Call, callerOf, post } from './calls.ts';
import { twoDaysUntil } from './figures.ts';
import type { ShowcaseService } from './service.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const PASSWORD = 'violet harbour ninety';
/** Time for a first retry, which follows after 5 to 6 s. */
const SETTLE_MS = 8_000;

const ACTORS = ['Uma Okafor', 'Sam Keller', 'Lena Brandt'];
const CUSTOMERS = ['Barbara Ritchie', 'Tomás Herrera', 'Aiko Tanaka', 'Grace Adeyemi', 'Jonas Lindqvist'];

/** Newest first: who acts as whom, why, how long ago, and whether it was ended. */
const IMPERSONATIONS = [
  { actor: 0, customer: 0, reason: 'Order 4711 is missing', ticketId: 'SUP-2291', minutesAgo: 4 },
  { actor: 1, customer: 1, reason: 'Cannot change the delivery address', ticketId: 'SUP-2290', minutesAgo: 19 },
  { actor: 2, customer: 2, reason: 'Invoice shows the wrong VAT', ticketId: 'SUP-2288', minutesAgo: 41 },
  { actor: 0, customer: 3, reason: 'Refund was paid twice', ticketId: 'SUP-2284', minutesAgo: 52, isRevoked: true },
  { actor: 1, customer: 4, reason: 'Coupon is not accepted', ticketId: 'SUP-2279', minutesAgo: 95 },
  { actor: 2, customer: 0, reason: 'Asked for a copy of all orders', ticketId: 'SUP-2271', minutesAgo: 160 },
  { actor: 0, customer: 1, reason: 'Order 4690 arrived damaged', ticketId: 'SUP-2266', minutesAgo: 245 },
];

const HOOKS = [
  {
    name: 'Customer records',
    url: 'https://crm.example.com/hooks/identity',
    path: '/',
    events: ['User.Created', 'User.Data.Updated', 'User.Deleted'],
  },
  {
    name: 'Audit archive',
    url: 'https://archive.example.com/ingest',
    path: '/',
    events: ['User.Created', 'User.Data.Updated', 'User.Deleted', 'Role.Created', 'Organization.Created'],
  },
  {
    name: 'Billing',
    url: 'https://billing.example.com/webhooks',
    path: '/fails-for-roles',
    events: ['User.Data.Updated', 'Role.Created'],
  },
];

const COMPANY = 'Acme';

async function addUser(call: Call, name: string): Promise<string> {
  const username = (name.split(' ')[0] ?? '')
    .normalize('NFD')
    .replace(/[^a-zA-Z]/g, '')
    .toLowerCase();
  const primaryEmail = `${username}@example.com`;
  const { id } = await call('POST /users', { username, name, primaryEmail, password: PASSWORD });
  return String(id);
}

/** @returns the ids of the impersonations, in the order of `IMPERSONATIONS` */
async function impersonate(service: ShowcaseService, call: Call): Promise<string[]> {
  const { endpoint, credentials } = service;
  const { demo } = credentials;
  if (!demo) throw new Error('The service was started without the demonstration.');
  const roles = (await call('GET /roles')) as unknown as { id: string; name: string }[];
  const customerRole = roles.find(({ name }) => name.includes('customer'))?.id;
  const customers: string[] = [];
  for (const name of CUSTOMERS) {
    const id = await addUser(call, name);
    await call(`POST /users/${id}/roles`, { roleIds: [customerRole] });
    customers.push(id);
  }
  const actors: { id: string; token: string }[] = [];
  for (const name of ACTORS) {
    const id = await addUser(call, name);
    const { username } = (await call(`GET /users/${id}`)) as { username: string };
    const person = { username, password: PASSWORD };
    const { tokens } = await signIn({ endpoint, clientId: demo.clientId, redirectUri: demo.redirectUri, person });
    actors.push({ id, token: tokens.access_token });
  }
  const ids: string[] = [];
  for (const { actor, customer, reason, ticketId } of IMPERSONATIONS) {
    const { id = '', token = '' } = actors[actor] ?? {};
    const context = { reason, ticketId, supportEngineerId: id };
    const { subjectToken } = await call('POST /subject-tokens', { userId: customers[customer], context });
    const { access_token: issued } = await post(`${endpoint}/oidc/token`, {
      grant_type: TOKEN_EXCHANGE,
      client_id: demo.clientId,
      subject_token: String(subjectToken),
      subject_token_type: ACCESS_TOKEN,
      actor_token: token,
      actor_token_type: ACCESS_TOKEN,
      resource: demo.resource,
      scope: demo.scope,
    });
    ids.push(JSON.parse(atob(String(issued).split('.')[1] ?? '')).jti);
  }
  return ids;
}

/** Adds three webhooks, changes users, and creates a role, which the last webhook does not accept. @returns their ids */
async function deliver(call: Call, receiver: string): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, path, events } of HOOKS) {
    const { id } = await call('POST /hooks', { name, events, config: { url: receiver + path } });
    ids.push(String(id));
  }
  const users = (await call('GET /users')) as unknown as { id: string; name: string }[];
  for (const { id } of users) await call(`PATCH /users/${id}/custom-data`, { customData: { newsletter: true } });
  await pause(1_000); // The deliveries before it succeed first.
  await call('POST /roles', { name: 'Wholesale customer', description: 'Sees prices without tax' });
  return ids;
}

/** Names the tenant and its application as a company would. */
async function nameEverything(service: ShowcaseService, call: Call): Promise<void> {
  const operate = await callerOf(service, 'Operator');
  await operate(`PATCH /tenants/${DEFAULT_TENANT}`, { name: COMPANY });
  await call(`PATCH /applications/${service.credentials.demo?.clientId}`, { name: 'Support desk' });
  await call('PATCH /sign-in-exp', { brandName: COMPANY });
}

/** Gives the rows the times and addresses that a picture should show. */
async function backdate(impersonationIds: readonly string[], hookIds: readonly string[]): Promise<void> {
  await withDatabase(async (database) => {
    const store = new TenantStore(database, DEFAULT_TENANT);
    const now = Date.now();
    for (const [index, { minutesAgo, isRevoked }] of IMPERSONATIONS.entries()) {
      const issuedAt = now - minutesAgo * MINUTE_MS;
      await store.change(
        'impersonations',
        { id: impersonationIds[index] ?? '' },
        {
          issuedAt,
          expiresAt: issuedAt + HOUR_MS,
          ip: `198.51.100.${20 + index}`,
          ...(isRevoked && { revokedAt: issuedAt + 9 * MINUTE_MS }),
        },
      );
    }
    for (const [index, { url }] of HOOKS.entries())
      await store.change('hooks', { id: hookIds[index] ?? '' }, { config: { url } });
    await writeFigures(database, twoDaysUntil(now));
  });
}

/** Fills the service with two days of plausible use. @param receiver the base URL that webhooks are sent to */
export async function addHistory(service: ShowcaseService, receiver: string): Promise<void> {
  const call = await callerOf(service, 'Management');
  await nameEverything(service, call);
  const impersonationIds = await impersonate(service, call);
  const hookIds = await deliver(call, receiver);
  await pause(SETTLE_MS);
  await backdate(impersonationIds, hookIds);
}

/** Opens a session of the console for a new administrator. @returns the value of its cookie */
export async function openConsoleSession(): Promise<string> {
  return withDatabase(async (database) => {
    const store = new TenantStore(database, DEFAULT_TENANT);
    const [token, userId, now] = [newId(), newId(), Date.now()];
    await store.insert('users', {
      id: userId,
      username: 'ada',
      name: 'Ada Morgan',
      customData: {},
      profile: {},
      isSuspended: false,
      createdAt: now,
      updatedAt: now,
    });
    await store.insert('administrators', { userId, managedTenantId: DEFAULT_TENANT, createdAt: now });
    await store.insert('consoleSessions', {
      id: hashOf(token),
      userId,
      createdAt: now,
      expiresAt: now + HOUR_MS,
    });
    return token;
  });
}
