import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';
import { status } from '../support/webhook-receiver.ts';

describe.each(databases)('webhooks on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());
  const call = (route: string, body?: unknown) => stage.api.call(route, body);
  const config = { url: 'https://receiver.example/hook' };
  const create = (overrides: object) =>
    call('POST /hooks', { name: 'Mine', events: ['Role.Created'], config, ...overrides });

  it('require a known event, an allowed URL and allowed headers', async () => {
    expect(await create({ events: [] })).toMatchObject({ status: 400, body: { code: 'hook.missing_events' } });
    expect(await create({ events: undefined, event: 'User.Created' })).toMatchObject({
      status: 201,
      body: { event: 'User.Created', events: [] },
    });
    const invalid = { status: 400, body: { code: 'guard.invalid_input' } };
    expect(await create({ name: '' })).toMatchObject(invalid);
    expect(await create({ events: ['User.Exploded'] })).toMatchObject(invalid);
    for (const url of [
      'not a url',
      'ftp://receiver.example',
      'http://169.254.169.254/latest',
      'http://10.0.0.1/',
      'http://[::ffff:10.0.0.1]/',
    ])
      expect(await create({ config: { url } }), url).toMatchObject(invalid);
    for (const headers of [{ 'webhook-id': 'mine' }, { Host: 'x' }, { 'x-ok': 'a\r\nb: c' }])
      expect(await create({ config: { ...config, headers } })).toMatchObject(invalid);
  });

  it('are refused with every fault at once', async () => {
    const { body } = await create({ name: '', events: [], config: { url: 'not a url', headers: { Host: 'x' } } });
    const members = body.details.split('\n').map((line: string) => line.split(':')[0]);
    expect(members).toEqual(['body.name', 'body.events', 'body.config.url', 'body.config.headers']);
    const unknown = await create({ events: ['User.Exploded'], config: { url: 'not a url' } });
    expect(unknown.body.details).toMatch(/^body\.events\[0\]: .*\nbody\.config\.url: [^\n]*$/);
  });

  it('are named after their host if the name is missing', async () => {
    const { body } = await create({ name: undefined });
    expect(body).toMatchObject({ name: 'Webhook to receiver.example' });
  });

  it('accept events of the compatible API that are never sent', async () => {
    const events = [
      'PostSignInAdaptiveMfaTriggered',
      'Identifier.Lockout',
      'Message.RateLimited',
      'Grant.LimitExceeded',
      'Role.Created',
    ];
    const { status: code, body } = await create({ events });
    expect(code).toBe(201);
    expect(body.events).toEqual(events);
    const { body: changed } = await call(`PATCH /hooks/${body.id}`, { events: events.slice(0, 1) });
    expect(changed.events).toEqual(['PostSignInAdaptiveMfaTriggered']);
  });

  it('are limited to one hundred per tenant', async () => {
    const store = new TenantStore(stage.database, 'default');
    const { id: _, ...hook } = await store.get('hooks', { id: stage.world.hook });
    const others = Array.from({ length: 98 }, (_, n) => ({ ...hook, id: `another-${n}` }));
    await store.add('hooks', others);
    expect(await create({})).toMatchObject({ status: 201 });
    const refused = { status: 422, body: { code: 'hook.limit_reached', data: { limit: 100 } } };
    expect(await create({})).toMatchObject(refused);
  });

  it('show their signing secret in both forms and can rotate it', async () => {
    const { hook } = stage.world;
    const { signingKey, webhookSecret } = await stage.api.must(`GET /hooks/${hook}`);
    expect(signingKey).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(webhookSecret).toBe(`whsec_${btoa(signingKey)}`);
    const rotated = await stage.api.must(`PATCH /hooks/${hook}/signing-key`, { overlapHours: 0 });
    expect(rotated.signingKey).not.toBe(signingKey);
    expect((await stage.api.must(`GET /hooks/${hook}`)).signingKey).toBe(rotated.signingKey);
    expect(JSON.stringify(rotated)).not.toMatch(/encrypted/i);
    expect((await call(`PATCH /hooks/${hook}/signing-key`)).status).toBe(200);
    expect(await call(`PATCH /hooks/${hook}/signing-key`, { overlapHours: 169 })).toMatchObject({ status: 400 });
  });

  it('replace their configuration as a whole', async () => {
    const { body } = await create({ config: { ...config, headers: { 'x-a': '1' }, retries: 2 }, enabled: false });
    expect(body.config).toEqual({ ...config, headers: { 'x-a': '1' }, retries: 2 });
    const other = { url: 'https://other.example/' };
    expect((await stage.api.must(`PATCH /hooks/${body.id}`, { config: other, enabled: true })).config).toEqual(other);
    expect(await call(`PATCH /hooks/${body.id}`, { events: [] })).toMatchObject({
      status: 400,
      body: { code: 'hook.missing_events' },
    });
    expect((await stage.api.must(`GET /hooks/${body.id}`)).events).toEqual(['Role.Created']);
  });

  it('can be tested with a signed sample of each event', async () => {
    const { hook } = stage.world;
    const { receiver } = stage;
    const test = (events: string[], url = receiver.url) =>
      call(`POST /hooks/${hook}/test`, { events, config: { url } });
    expect(await test(['User.Created', 'PostSignIn'])).toMatchObject({ status: 204 });
    const arrival = await receiver.next('User.Created');
    expect(JSON.parse(arrival.body)).toMatchObject({
      event: 'User.Created',
      hookId: hook,
      data: { primaryEmail: 'bob@example.com' },
    });
    expect(arrival.headers).toMatchObject({
      'webhook-signature': expect.stringMatching(/^v1,/),
      'logto-signature-sha-256': expect.any(String),
    });
    await receiver.next('PostSignIn');

    receiver.behave(status(500, {}, 'a secret of the receiver'));
    const failed = await test(['User.Created']);
    expect(failed).toMatchObject({
      status: 422,
      body: { code: 'hook.endpoint_responded_with_error', data: { responseStatus: 500 } },
    });
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    const shown = await call(`POST /hooks/${hook}/test?includeResponse=true`, {
      events: ['User.Created', 'PostSignIn'],
      config: { url: receiver.url },
    });
    expect(shown).toMatchObject({
      status: 200,
      body: {
        attempts: [{ event: 'User.Created', status: 500, responseBody: 'a secret of the receiver', error: 'status' }],
      },
    });
    receiver.behave(status(200));
    expect(await test(['User.Created'], 'http://127.0.0.1:1/')).toMatchObject({
      status: 422,
      body: { code: 'hook.send_test_payload_failed' },
    });
    expect(await test(['User.Created'], 'http://10.0.0.1/')).toMatchObject({ status: 400 });
  });

  it('list their attempts', async () => {
    const { receiver } = stage;
    const { body } = await create({ events: ['Role.Created'], config: { url: receiver.url } });
    await stage.api.must('POST /roles', { name: 'Cook', description: 'Cook' });
    await receiver.next('Role.Created');
    await expect.poll(() => stage.api.must(`GET /hooks/${body.id}/recent-logs`)).toHaveLength(1);
    const [log] = await stage.api.must(`GET /hooks/${body.id}/recent-logs?logKey=TriggerHook.Role.Created`);
    expect(log).toMatchObject({
      key: 'TriggerHook.Role.Created',
      payload: {
        result: 'Success',
        hookId: body.id,
        hookRequest: { body: { event: 'Role.Created', data: { name: 'Cook' } } },
        response: { statusCode: 200 },
      },
    });
    expect(await stage.api.must(`GET /hooks/${body.id}/recent-logs?logKey=TriggerHook.User.Created`)).toEqual([]);
    const hooks = await stage.api.must('GET /hooks?includeExecutionStats=true');
    expect(hooks.find(({ id }: { id: string }) => id === body.id)).toMatchObject({
      executionStats: { successCount: 1, requestCount: 1 },
    });
  });
});
