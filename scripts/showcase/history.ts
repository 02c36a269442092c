import { setTimeout as pause } from 'node:timers/promises';
import { hashOf, newId } from '../../src/base/ids.ts';
import { writeFigures } from '../../src/database/statistics/figure-writer.ts';
import { type CountedMinute, MINUTE_MS } from '../../src/database/statistics/figures.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { DEFAULT_TENANT } from '../../src/tenants.ts';
import { withDatabase } from '../support/running-service.ts';
import { signIn } from '../support/sign-in.ts';
import type { ShowcaseService } from './service.ts';

const HOUR_MS = 60 * MINUTE_MS;
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const PASSWORD = 'violet harbour ninety';
/** Time for the first deliveries and for a cache to expire. */
const SETTLE_MS = 6_000;

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
  { name: 'Customer records', url: 'https://crm.example.com/hooks/identity', path: '/ok', events: 'User.' },
  { name: 'Audit archive', url: 'https://archive.example.com/ingest', path: '/ok', events: '' },
  { name: 'Billing', url: 'https://billing.example.com/webhooks', path: '/fails', events: 'User.Data.Updated' },
];

const EVENTS = ['User.Created', 'User.Data.Updated', 'User.Deleted', 'Role.Created', 'Organization.Created'];

const COMPANY = 'Acme';

type Json = Record<string, unknown>;
type Call = (route: string, json?: Json) => Promise<Json>;

async function post(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers });
  const answer = (await response.json()) as Json;
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Calls the Management API with a token of the machine-to-machine application. */
async function managementApi({ endpoint, credentials }: ShowcaseService): Promise<Call> {
  const { machine, managementApiIndicator } = credentials;
  const { access_token: token } = await post(
    `${endpoint}/oidc/token`,
    { grant_type: 'client_credentials', resource: managementApiIndicator, scope: 'all' },
    { authorization: `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}` },
  );
  return async (route, json) => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`${endpoint}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
      body: json ? JSON.stringify(json) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : {};
  };
}

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

/** Three webhooks, of which the last one fails. @returns their ids */
async function deliver(call: Call, receiver: string): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, path, events } of HOOKS) {
    const selected = EVENTS.filter((event) => event.startsWith(events));
    const { id } = await call('POST /hooks', { name, events: selected, config: { url: receiver + path } });
    ids.push(String(id));
  }
  const users = (await call('GET /users')) as unknown as { id: string; name: string }[];
  for (const { id } of users) await call(`PATCH /users/${id}/custom-data`, { customData: { newsletter: true } });
  return ids;
}

/** A working day's curve: quiet at night, busiest in the afternoon. Deterministic, so that pictures change only with the product. */
function countsAt(startsAt: number, index: number): CountedMinute {
  const hour = (startsAt % (24 * HOUR_MS)) / HOUR_MS;
  const load = Math.max(0.08, Math.sin(((hour - 6) / 14) * Math.PI));
  const wave = 0.85 + 0.15 * Math.sin(index * 1.7) + 0.1 * Math.cos(index * 0.9);
  const of = (most: number) => Math.round(most * load * wave);
  const runs = of(46);
  return {
    tenantId: DEFAULT_TENANT,
    startsAt,
    counts: {
      tokensByCode: of(18),
      tokensByRefresh: of(31),
      tokensByClient: of(24),
      impersonationsBegun: of(7),
      impersonationsEnded: index % 9 === 0 ? 1 : 0,
      tokensRefused: index % 5 === 0 ? 1 : 0,
      requestsRefused: index % 7 === 0 ? 2 : 0,
      scriptRuns: runs,
      scriptMicros: runs * 640,
      scriptFailures: index % 13 === 0 ? 1 : 0,
      deliveriesDelivered: of(38),
      deliveriesRetried: index % 6 === 0 ? 2 : 0,
      backlog: of(6) + (index % 12 === 0 ? 5 : 0),
    },
  };
}

const HALF_HOURS = 96;

function twoDaysUntil(now: number): CountedMinute[] {
  const last = now - (now % (30 * MINUTE_MS));
  return Array.from({ length: HALF_HOURS }, (_, index) =>
    countsAt(last - (HALF_HOURS - index) * 30 * MINUTE_MS, index),
  );
}

/** Calls the tenant and its application what a company would. */
async function nameEverything(call: Call, { credentials: { demo } }: ShowcaseService): Promise<void> {
  await call(`PATCH /applications/${demo?.clientId}`, { name: 'Support desk' });
  await call('PATCH /sign-in-exp', { brandName: COMPANY });
  await withDatabase((database) =>
    database.write((db) => db('tenants').where({ id: DEFAULT_TENANT }).update({ name: COMPANY })),
  );
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
  const call = await managementApi(service);
  await nameEverything(call, service);
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
