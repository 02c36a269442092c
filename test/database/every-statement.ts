import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import { DAY_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import { removeDeletedTenants, sweepExpired } from '../../src/database/retention.ts';
import { operations } from '../../src/management/index.ts';
import { readBacklog, recordBacklog } from '../../src/webhooks/deliveries/backlog.ts';
import { clearDeliveries } from '../../src/webhooks/deliveries/clearing.ts';
import { sweepWebhooks } from '../../src/webhooks/deliveries/retention.ts';
import { experience } from '../sign-in/experience.ts';
import { Issuer } from '../sign-in/issuer.ts';
import { Mailbox } from '../sign-in/mailbox.ts';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { ManagementClient, postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { askToken, codeGrant, registerApplication } from '../support/code-grant.ts';
import type { DatabaseKind } from '../support/databases.ts';
import { requestOf } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage } from '../support/stage.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { type Sent, StatementRecorder } from '../support/statements.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';

/** Further ways to call operations whose statement depends on the query or the body. */
const FILTERED = [
  'GET /logs?userId=u&start_time=1&end_time=2',
  'GET /logs?applicationId=a',
  'GET /logs?logKey=k',
  'GET /logs?result=Error',
  'GET /impersonations?active=true',
  'GET /impersonations?active=false&subjectId=u',
  'GET /impersonations?active=true&actorId=u',
  'GET /impersonations?applicationId=a',
  'GET /subject-tokens?state=active',
  'GET /subject-tokens?state=spent&userId=u',
  'GET /subject-tokens?state=revoked&applicationId=a',
  'GET /subject-tokens?state=expired',
  'GET /users?search=%25carol%25',
  'GET /users?search.username=carol&mode.username=exact',
  'GET /users?search.name=c%25&search.primaryEmail=c%25&joint=and',
  'GET /overview?range=1h',
  'GET /overview?range=7d',
];

const HOOK_LISTS = [
  ...['waiting', 'delivering', 'dead', 'cancelled', 'delivered'].flatMap((state) => [
    `deliveries?state=${state}`,
    `delivery-feed?state=${state}&before=9-x`,
  ]),
  'deliveries?event=User.Created&since=1',
  'delivery-feed?event=User.Created&since=1',
  'recent-logs?logKey=TriggerHook.User.Created&start_time=1&end_time=2',
];

/** Every operation of the Management API, then every job, on a tenant with one of everything. */
async function operate(kind: DatabaseKind, recorder: StatementRecorder): Promise<void> {
  const stage = await buildStage(kind);
  const { api, database, world } = stage;
  for (const { route } of operations) {
    const request = requestOf(route, samples[route]?.(world) ?? {});
    await recorder.during(route, () => api.call(...request));
    if (!route.startsWith('GET')) await stage.restore();
  }
  const ofHook = HOOK_LISTS.map((path) => `GET /hooks/${world.hook}/${path}`);
  for (const call of [...FILTERED, ...ofHook]) await recorder.during(call, () => api.must(call));

  const later = Date.now() + 60 * DAY_MS;
  await recorder.during('metrics', () => readBacklog(database, later));
  for (const job of [sweepExpired, sweepWebhooks, clearDeliveries, recordBacklog, removeDeletedTenants])
    await recorder.during(job.name, async () => job(database, later));
  await stage.close();
}

const until = async (read: () => Promise<boolean>): Promise<void> => {
  while (!(await read())) await new Promise((resolve) => setTimeout(resolve, 50));
};

/** Failing attempts, a replay, and the end of a webhook with waiting deliveries, with the poller running. */
async function deliver(service: TestService, recorder: StatementRecorder): Promise<void> {
  const { api, databaseUrl, dataDir } = service;
  const database = connect({ databaseUrl, dataDir, poolSize: 1 });
  await using receiver = await WebhookReceiver.start({ behaviour: status(503) });
  const config = { url: receiver.url };
  const hook = await api.must('POST /hooks', { name: 'failing', events: ['User.Data.Updated'], config });
  const { bob } = castOf(service);
  await recorder.during('webhooks', async () => {
    await api.must(`PATCH /users/${bob.id}`, { name: 'Casey' });
    await receiver.reach(3); // The first two are settled.
    const { id } = await api.must(`POST /hooks/${hook.id}/replay`, { since: 1 });
    await until(async () => (await api.must(`GET /hooks/${hook.id}/replays/${id}`)).state === 'done');
    await api.must(`PATCH /hooks/${hook.id}`, { enabled: false });
    await clearDeliveries(database);
    await api.must(`DELETE /hooks/${hook.id}`);
    await clearDeliveries(database);
  });
  await database.close();
}

/** Every grant of the token endpoint, and the endpoints that look tokens up or end them. */
async function issue(service: TestService, recorder: StatementRecorder): Promise<void> {
  const { api, url, credentials } = service;
  const { spa, alice, bob, mint, resource } = castOf(service);
  await recorder.during('exchange', async () => {
    const exchange = { subject_token: await mint(), actor_token: await spa.signIn(alice) };
    expect((await spa.exchange(exchange)).status).toBe(200);
    await api.must('PATCH /configs/impersonation', { endOnReplay: true });
    expect((await spa.exchange(exchange)).status).toBe(400);
  });
  const script = 'const getCustomJwtClaims = async ({ token, context }) => ({ roles: context.user?.roles?.length });';
  for (const type of ['access-token', 'client-credentials'])
    await api.must(`PUT /configs/jwt-customizer/${type}`, { script });
  const { id: organizationId } = await api.must('POST /organizations', { name: 'Acme' });
  await api.must(`POST /organizations/${organizationId}/users`, { userIds: [alice.id, bob.id] });
  const application = await registerApplication(service, 'Traditional', { alwaysIssueRefreshToken: true });
  await recorder.during('tokens', async () => {
    const scope =
      'openid profile email roles custom_data identities offline_access urn:logto:scope:organizations urn:logto:scope:organization_roles';
    const { body } = await codeGrant(service, application, { resource, scope });
    const refresh = (token: string, form = {}) =>
      askToken(service, application, { grant_type: 'refresh_token', refresh_token: token, ...form });
    const refreshed = await refresh(body.refresh_token, { resource });
    expect(refreshed.status).toBe(200);
    const latest = refreshed.body.refresh_token ?? body.refresh_token;
    expect((await refresh(latest, { organization_id: organizationId })).status).toBe(200);
    const opaque = (await refresh(latest)).body.access_token;
    expect((await fetch(`${url}/oidc/me`, { headers: { authorization: `Bearer ${opaque}` } })).status).toBe(200);
    const basic = { authorization: `Basic ${btoa(`${application.clientId}:${application.clientSecret}`)}` };
    for (const token of [opaque, refreshed.body.access_token, latest, 'unknown'])
      await postForm(`${url}/oidc/token/introspection`, { token }, basic);
    for (const token of [refreshed.body.access_token, opaque, latest])
      expect((await postForm(`${url}/oidc/token/revocation`, { token }, basic)).status).toBe(200);
    const { machine } = credentials;
    const client = { ...machine, redirectUri: '' };
    for (const form of [{ resource: `${url}/api`, scope: 'all' }, { organization_id: organizationId }])
      await askToken(service, client, { grant_type: 'client_credentials', ...form });
    await fetch(`${url}/oidc/revoked-tokens`);
    await fetch(`${url}/oidc/jwks`);
  });
}

const PASSWORD = 'violet harbour ninety';

/** Registration, password reset and sign-in with codes and second factors; the account page; social sign-in; sign-out. */
async function signInEveryWay(service: TestService, recorder: StatementRecorder, mailbox: Mailbox): Promise<void> {
  const { api, url } = service;
  const identifier = { type: 'email', value: 'lena@example.com' };
  const totp = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await recorder.during('registration', async () => {
    const { call, submit } = await experience(service);
    await call('PUT /', { interactionEvent: 'Register' });
    const { verificationId } = (await call('POST /verification/verification-code', { identifier })).body;
    await call('POST /verification/verification-code/verify', { verificationId, code: await mailbox.code() });
    await call('POST /identification', { verificationId });
    await call('PUT /profile/password', { password: PASSWORD });
    expect((await submit()).status).toBe(200);
  });
  await recorder.during('sign-in with factors', async () => {
    const { call, submit } = await experience(service);
    await call('POST /verification/password', { identifier, password: 'wrong' });
    const { body } = await call('POST /verification/password', { identifier, password: PASSWORD });
    await call('POST /identification', body);
    const { secret, verificationId } = (await call('POST /verification/totp/secret')).body;
    await call('POST /verification/totp/verify', { verificationId, code: totp(secret) });
    await call('POST /profile/mfa', { type: 'Totp', verificationId });
    expect((await submit()).status).toBe(200);
  });
  const signIn = async (visitor: Visitor) => {
    await visitor.submit('identifier', { identifier: 'judy' });
    await visitor.submit('password', { password: PASSWORD });
  };
  await api.must('POST /users', { username: 'judy', primaryEmail: 'judy@example.com', password: PASSWORD });
  await recorder.during('account', async () => {
    const visitor = new Visitor(url);
    await visitor.open(`${url}/account`);
    await signIn(visitor);
    await visitor.open(`${url}/account?edit=name`);
    await visitor.submit('name', { name: 'Judy' });
    await visitor.open(`${url}/account?edit=email`);
    await visitor.submit('email', { identifier: 'new@example.com' });
    await visitor.submit('code', { code: await mailbox.code(1, 'new@example.com') });
    const { html } = await visitor.open(`${url}/account?add=Totp`);
    const secret = (/<p class="mono">([A-Z2-7 ]+)<\/p>/.exec(html)?.[1] ?? '').replaceAll(' ', '');
    await visitor.submit('enrol/totp', { code: totp(secret) });
    await visitor.open(`${url}/oidc/session/end`);
    await visitor.submit('confirm', { logout: 'yes' }).catch(() => undefined);
  });
  await recorder.during('social sign-in', async () => {
    await using issuer = await Issuer.start();
    issuer.claims = { sub: 'remote', email: 'judy@corp.example', email_verified: true };
    await issuer.connect(service);
    for (let visit = 0; visit < 2; visit += 1) {
      const visitor = new Visitor(url);
      await visitor.open((await authorization(service)).url);
      await visitor.submit('identifier', { identifier: 'judy@corp.example' });
      await issuer.through(visitor);
    }
  });
}

/** The operations on tenants, and the removal of one. */
async function administer(service: TestService, recorder: StatementRecorder): Promise<void> {
  const { url, credentials } = service;
  const client = new ManagementClient(url, `${url}/admin/api`, credentials.operator);
  const bearer = `Bearer ${await client.token('tenants')}`;
  const call = async (route: string, body?: unknown) => {
    const [method = '', path] = route.split(' ');
    const headers = { authorization: bearer, 'content-type': 'application/json' };
    const response = await fetch(`${url}/admin/api${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, route).toBeLessThan(300);
  };
  await recorder.during('tenants', async () => {
    await call('POST /tenants', { id: 'second', name: 'Second', endpoints: [`${url}/second`] });
    await call('GET /tenants');
    await call('GET /tenants/second');
    await call('PATCH /tenants/second', {
      name: 'Other',
      endpoints: [`${url}/other`],
      managementApiIndicator: `${url}/other/api`,
    });
    await call('DELETE /tenants/second');
  });
}

/** `procedures`: the statements that create SQLite's procedures. */
export interface Recorded {
  sent: Sent[];
  procedures: readonly string[];
}

/**
 * Returns the statements that the service sends in a scenario with every operation, grant and job, the ways to sign in,
 * and webhooks whose receiver fails.
 */
export async function everyStatement(kind: DatabaseKind): Promise<Recorded> {
  using recorder = new StatementRecorder(kind);
  await operate(kind, recorder);
  await using mailbox = await Mailbox.start();
  const env = { WEBHOOK_RETRY_SCHEDULE: '0,0,0,3600', SMTP_URL: mailbox.url };
  await using service = await recorder.during('start', () => startService(kind, env));
  await deliver(service, recorder);
  await issue(service, recorder);
  await signInEveryWay(service, recorder, mailbox);
  await administer(service, recorder);
  return { sent: recorder.sent(), procedures: recorder.procedures };
}
