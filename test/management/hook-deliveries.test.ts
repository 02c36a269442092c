import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';
import { status } from '../support/webhook-receiver.ts';

interface Made {
  createdAt: number;
}

describe.each(databases)('deliveries of a webhook on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());

  const call = (route: string, body?: unknown) => stage.api.call(route, body);
  const must = (route: string, body?: unknown) => stage.api.must(route, body);
  const createRole = (name: string) => must('POST /roles', { name, description: name });

  /** Creates a webhook without retries. */
  async function listen(events: string[]) {
    const config = { url: stage.receiver.url, retries: 0 };
    const { id } = await must('POST /hooks', { name: 'Mine', events, config });
    return { id, path: `/hooks/${id}` };
  }

  it('are listed with their attempts, and can be sent again', async () => {
    const { receiver } = stage;
    const { path } = await listen(['Role.Created', 'Role.Deleted']);
    receiver.behave(status(500, {}, 'broken'));
    const role = await createRole('First');
    const failed = await receiver.next('Role.Created');
    await expect.poll(() => must(`GET ${path}/deliveries?state=dead`)).toHaveLength(1);
    receiver.behave(status(200, {}, 'thanks'));
    await must(`DELETE /roles/${role.id}`);
    await receiver.next('Role.Deleted');
    await expect.poll(() => must(`GET ${path}/deliveries?state=delivered`)).toHaveLength(1);

    const [dead] = await must(`GET ${path}/deliveries?event=Role.Created`);
    expect(dead).toEqual({
      id: expect.any(String),
      hookId: expect.any(String),
      eventId: failed.headers['webhook-id'],
      event: 'Role.Created',
      state: 'dead',
      trigger: 'schedule',
      attempts: 1,
      lastStatus: 500,
      dueAt: null,
      createdAt: expect.any(Number),
    });
    const page = await call(`GET ${path}/deliveries?page=1&page_size=1`);
    expect(page.headers.get('total-number')).toBe('2');
    expect(page.body).toMatchObject([{ event: 'Role.Deleted', state: 'delivered', dueAt: null }]);
    expect(await must(`GET ${path}/deliveries?since=${Date.now() + 60_000}`)).toEqual([]);
    expect(await call(`GET ${path}/deliveries?state=lost`)).toMatchObject({ status: 400 });
    const { attemptLog } = await must(`GET ${path}/deliveries/${dead.id}`);
    expect(attemptLog).toMatchObject([{ number: 1, status: 500, errorClass: 'status', responseBody: 'broken' }]);

    const again = await call(`POST ${path}/deliveries/${dead.id}/redeliver`);
    expect(again).toMatchObject({ status: 202, body: { id: expect.any(String), count: 1 } });
    const second = await receiver.next('Role.Created');
    expect(second.body).toBe(failed.body);
    expect(second.headers['webhook-id']).toBe(failed.headers['webhook-id']);
    await expect
      .poll(() => must(`GET ${path}/deliveries/${again.body.id}`).catch(() => undefined))
      .toMatchObject({
        state: 'delivered',
        trigger: 'manual',
        attemptLog: [{ isSuccess: true, responseBody: 'thanks' }],
      });
    expect(await must(`GET ${path}/deliveries/${dead.id}`)).toMatchObject({ state: 'dead' });
  });

  it('are listed across webhooks with a cursor, newest first, each exactly once', async () => {
    const { receiver } = stage;
    const begun = Date.now();
    const [one, other] = [await listen(['Role.Created']), await listen(['Role.Created', 'Role.Deleted'])];
    receiver.behave(status(500));
    const role = await createRole('Shared');
    await receiver.take(2);
    receiver.behave(status(200));
    await must(`DELETE /roles/${role.id}`);
    await receiver.next('Role.Deleted');
    const feed = (query = '') => must(`GET /delivery-feed?since=${begun}${query}`);
    await expect.poll(async () => (await feed('&state=dead')).deliveries.length).toBe(2);
    await expect.poll(async () => (await feed('&state=delivered')).deliveries.length).toBe(1);

    const { deliveries } = await feed();
    expect(deliveries.map(({ hookId }: { hookId: string }) => hookId).sort()).toEqual(
      [one.id, other.id, other.id].sort(),
    );
    const walked = [];
    for (let before = ''; ; ) {
      const page = await feed(`&limit=1${before}`);
      walked.push(...page.deliveries);
      if (page.next === null) break;
      before = `&before=${page.next}`;
    }
    expect(walked).toEqual(deliveries);
    expect((await feed('&event=Role.Deleted')).deliveries).toMatchObject([{ hookId: other.id, state: 'delivered' }]);
    expect((await must(`GET /delivery-feed?since=1&until=${begun - 60_000}&event=Role.Deleted`)).deliveries).toEqual(
      [],
    );
    expect(await call('GET /delivery-feed?before=nowhere')).toMatchObject({ status: 400 });
  });

  it('are sent again now when their webhook is resumed', async () => {
    const { receiver } = stage;
    const { id } = await must('POST /hooks', { events: ['Role.Created'], config: { url: receiver.url } });
    receiver.behave(status(503));
    await createRole('Early');
    await receiver.next('Role.Created');
    await expect
      .poll(() => must(`GET /hooks/${id}`))
      .toMatchObject({ failuresInARow: 1, lastFailureStatus: 503, lastFailureError: 'status' });
    receiver.behave(status(200));
    expect(await call(`POST /hooks/${id}/resume`)).toMatchObject({ status: 204 });
    await receiver.next('Role.Created');
    await expect.poll(() => must(`GET /hooks/${id}/health`)).toMatchObject({ waiting: 0, attempts: 2, succeeded: 1 });
    await expect.poll(() => must(`GET /hooks/${id}`)).not.toHaveProperty('failingSince');
    expect(await call('POST /hooks/nothing/resume')).toMatchObject({ status: 404 });
  });

  it('are listed with a cursor, newest first, each exactly once', async () => {
    const { receiver } = stage;
    const { path } = await listen(['Role.Created']);
    for (const [name, code] of [
      ['One', 200],
      ['Two', 500],
      ['Three', 200],
      ['Four', 500],
    ] as const) {
      receiver.behave(status(code));
      await createRole(name);
      await receiver.next('Role.Created');
    }
    await expect.poll(() => must(`GET ${path}/deliveries?state=delivered`)).toHaveLength(2);
    await expect.poll(() => must(`GET ${path}/deliveries?state=dead`)).toHaveLength(2);

    receiver.behave(status(200));
    const all = await must(`GET ${path}/delivery-feed`);
    expect(all).toMatchObject({ next: null });
    expect(all.deliveries).toHaveLength(4);
    const read = [];
    let before = '';
    for (let pages = 0; pages < 4; pages += 1) {
      const page = await must(`GET ${path}/delivery-feed?limit=1${before}`);
      read.push(...page.deliveries);
      before = `&before=${page.next}`;
      if (page.next === null) break;
    }
    expect(read).toEqual(all.deliveries);
    expect(all.deliveries).toEqual(all.deliveries.toSorted((a: Made, b: Made) => b.createdAt - a.createdAt));
    expect((await must(`GET ${path}/delivery-feed?state=dead&limit=1`)).deliveries).toMatchObject([{ state: 'dead' }]);
    const { deliveries } = await must(`GET ${path}/delivery-feed?state=delivered`);
    expect(deliveries).toHaveLength(2);
    const detailed = await must(`GET ${path}/deliveries/${deliveries[0].id}`);
    expect(JSON.parse(detailed.body)).toMatchObject({ event: 'Role.Created', data: { name: 'Three' } });
    expect(await call(`GET ${path}/delivery-feed?before=nowhere`)).toMatchObject({
      status: 400,
      body: { code: 'guard.invalid_pagination' },
    });
  });

  it('are created from past events by a replay, which can be counted first and tracked', async () => {
    const { receiver } = stage;
    const since = Date.now();
    const names = ['One', 'Two', 'Three'];
    for (const name of names) await createRole(name);
    const { path } = await listen(['Role.Created']);

    const counted = await call(`POST ${path}/replay`, { since, dryRun: true });
    expect(counted).toMatchObject({ status: 200, body: { count: 3 } });
    expect(counted.body).not.toHaveProperty('id');
    expect((await call(`POST ${path}/replay`, { since, events: ['User.Created'], dryRun: true })).body.count).toBe(0);
    expect((await call(`POST ${path}/replay`, { since, state: 'dead', dryRun: true })).body.count).toBe(0);

    const started = await call(`POST ${path}/replay`, { since });
    expect(started).toMatchObject({ status: 202, body: { id: expect.any(String), count: 3 } });
    const arrived = [];
    for (const _ of names) arrived.push(JSON.parse((await receiver.next('Role.Created')).body).data.name);
    expect(arrived.toSorted()).toEqual(names.toSorted());
    expect(await must(`GET ${path}/replays/${started.body.id}`)).toEqual({
      id: started.body.id,
      count: 3,
      done: 3,
      state: 'done',
    });
    await expect.poll(() => must(`GET ${path}/deliveries?state=delivered`)).toHaveLength(3);
    expect(await call(`DELETE ${path}/replays/${started.body.id}`)).toMatchObject({ status: 204 });
    expect(await call(`DELETE ${path}/replays/unknown`)).toMatchObject({ status: 404 });
  });

  it('belong to one webhook', async () => {
    const { hook, delivery, replay } = stage.world;
    const other = await listen(['Role.Created']);
    const unknown = { status: 404, body: { code: 'entity.not_exists_with_id' } };
    expect(await call(`GET /hooks/${hook}/deliveries/${delivery}`)).toMatchObject({ status: 200 });
    expect(await call(`GET ${other.path}/deliveries/${delivery}`)).toMatchObject(unknown);
    expect(await call(`POST ${other.path}/deliveries/${delivery}/redeliver`)).toMatchObject(unknown);
    expect(await call(`GET ${other.path}/replays/${replay}`)).toMatchObject(unknown);
    expect(await call(`DELETE ${other.path}/replays/${replay}`)).toMatchObject({ status: 404 });
    expect(await call('GET /hooks/unknown/deliveries')).toMatchObject(unknown);
    expect(await call('POST /hooks/unknown/replay', { since: 0 })).toMatchObject(unknown);
  });

  it('are cancelled when the webhook is disabled, stay cancelled when it is enabled, and are deleted with it', async () => {
    const { receiver } = stage;
    const { id, path } = await listen(['Role.Created']);
    const config = { url: receiver.url };
    await must(`PATCH ${path}`, { config });
    receiver.behave(status(503, { 'retry-after': '3600' }));
    await createRole('Before');
    const { headers } = await receiver.next('Role.Created');
    await expect.poll(() => must(`GET ${path}/deliveries?state=waiting`)).toMatchObject([{ attempts: 1 }]);

    await must(`PATCH ${path}`, { enabled: false });
    const cancelled = { eventId: headers['webhook-id'], state: 'cancelled', dueAt: null };
    expect(await must(`GET ${path}/deliveries?state=waiting`)).toEqual([]);
    expect(await must(`GET ${path}/deliveries`)).toMatchObject([cancelled]);
    expect((await must(`GET ${path}/delivery-feed?state=cancelled`)).deliveries).toMatchObject([cancelled]);
    await must(`PATCH ${path}`, { enabled: true });
    const [delivery] = await must(`GET ${path}/deliveries?state=cancelled`);
    expect(await must(`GET ${path}/deliveries/${delivery.id}`)).toMatchObject(cancelled);
    expect(await must(`POST ${path}/replay`, { since: 0, state: 'cancelled', dryRun: true })).toMatchObject({
      count: 1,
    });

    await must(`DELETE ${path}`);
    const routes = ['', '/deliveries', '/delivery-feed', `/deliveries/${delivery.id}`, '/recent-logs'];
    for (const route of routes) expect(await call(`GET ${path}${route}`)).toMatchObject({ status: 404 });
    expect(await call(`POST ${path}/deliveries/${delivery.id}/redeliver`)).toMatchObject({ status: 404 });
    const left = () => stage.database.reader('deliveries').where({ hookId: id });
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
    await expect.poll(() => stage.database.reader('clearings')).toEqual([]); // Removed in a later transaction.
  });
});
