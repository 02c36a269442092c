import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it, vi } from 'vitest';
import type { AttemptRow } from '../../src/database/tables/index.ts';
import { clearDeliveries, removeHook } from '../../src/webhooks/deliveries/clearing.ts';
import { webhookSecret } from '../../src/webhooks/signatures/signature.ts';
import { databases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import {
  cutMidBody,
  drip,
  endlessBody,
  hang,
  hugeHeaders,
  inTurn,
  slow,
  status,
  WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { SIGNING_KEY, Stage, until } from './stage.ts';

const none = (rows: unknown[]) => rows.length === 0;
const attemptsOf = (stage: Stage): Promise<AttemptRow[]> => stage.store.from('attempts').orderBy('number');

describe.each(databases)('deliveries on %s', (kind) => {
  it('arrive at once, signed both ways, and leave an attempt', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await stage.hook(receiver.url);
    vi.useFakeTimers({ toFake: ['setInterval'] }); // So that no poll finds it.
    await stage.poller();
    vi.useRealTimers();
    await stage.announce();

    const { body, headers } = await receiver.next('User.Created');
    expect(JSON.parse(body)).toEqual({ event: 'User.Created', createdAt: expect.any(String), data: { n: 0 }, hookId });
    for (const Library of [Webhook, SvixWebhook]) {
      expect(new Library(webhookSecret(SIGNING_KEY)).verify(body, headers as Record<string, string>)).toBeDefined();
    }
    await stage.deliveries(none);
    const [event] = await stage.store.from('events');
    expect(headers['webhook-id']).toBe(event?.id);
    expect(await attemptsOf(stage)).toMatchObject([
      { hookId, eventId: event?.id, number: 1, status: 200, isSuccess: true, trigger: 'schedule', errorClass: null },
    ]);
  });

  it('go to the hooks that listen, and to those that are enabled', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    await stage.hook(receiver.url, { events: ['User.Deleted'] });
    await stage.hook(receiver.url, { enabled: false });
    const hookId = await stage.hook(receiver.url, { events: [], event: 'User.Created' });
    await stage.poller();
    await stage.announce();
    expect(JSON.parse((await receiver.next()).body)).toMatchObject({ hookId });
    await stage.deliveries(none);
    expect(receiver.arrivals).toHaveLength(1);
  });

  it('are found by polling when nobody says so', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    await stage.hook(receiver.url);
    await stage.announce();
    await stage.poller();
    await receiver.next();
  });

  it('reach a receiver that was down, with the same id and the same bytes', async () => {
    await using stage = await Stage.open(kind);
    const down = await WebhookReceiver.start({ port: await freePort() });
    await stage.hook(down.url);
    await stage.poller({ retryScheduleSeconds: Array(60).fill(0) });
    await down.stop();
    await stage.announce();
    await stage.deliveries(([row]) => row !== undefined && row.attempts > 0);

    await using up = await WebhookReceiver.start({ port: down.port, behaviour: inTurn(status(500), status(200)) });
    const [first, second] = [await up.next(), await up.next()];
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    await stage.deliveries(none);
    const made = (await attemptsOf(stage)).map(({ status, errorClass }) => [status, errorClass]);
    // A poll may have come while it was down.
    const refused = made.slice(0, -2).map(() => [null, 'connect']);
    expect(refused).not.toEqual([]);
    expect(made).toEqual([...refused, [500, 'status'], [200, null]]);
  });

  it.each([
    ['500', status(500), 'status', 500],
    ['400', status(400), 'status', 400],
    ['a redirect to loopback', status(302, { location: 'http://127.0.0.1:1/' }), 'status', 302],
    ['a redirect to metadata', status(307, { location: 'http://169.254.169.254/latest' }), 'status', 307],
    ['silence', hang, 'timeout', null],
    ['an answer that comes too late', slow(3000), 'timeout', null],
    ['a byte now and then', drip(50), 'timeout', 200],
    ['half an answer', cutMidBody(), 'reset', 200],
    ['20 KB of headers', hugeHeaders(20_000), 'headers_too_large', null],
  ])('are made again after %s', async (_, behaviour, errorClass, code) => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: inTurn(behaviour, status(200)) });
    await stage.hook(receiver.url);
    await stage.poller(errorClass === 'timeout' ? { timeoutMs: 400 } : {});
    await stage.announce();
    await receiver.reach(2);
    await stage.deliveries(none);
    const [failed, made] = await attemptsOf(stage);
    expect(failed).toMatchObject({ errorClass, status: code, isSuccess: false, number: 1 });
    expect(made).toMatchObject({ isSuccess: true, number: 2 });
  });

  it('succeed although the answer is endless, of which 8 KiB are kept', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: endlessBody });
    await stage.hook(receiver.url);
    await stage.poller();
    await stage.announce();
    await receiver.next();
    await stage.deliveries(none);
    expect((await attemptsOf(stage))[0]?.responseBody).toHaveLength(8192);
  });

  it('are dead when the schedule ends, and only then', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(503, {}, 'busy') });
    await stage.hook(receiver.url);
    await stage.poller({ retryScheduleSeconds: [0, 0, 0] });
    await stage.announce();
    const [row] = await stage.deliveries(([row]) => row?.state === 'dead');
    expect(row).toMatchObject({ attempts: 3, lastStatus: 503, leaseOwner: null });
    expect((await attemptsOf(stage)).map(({ responseBody }) => responseBody)).toEqual(['busy', 'busy', 'busy']);
  });

  it('are tried once for a hook that wants no retries', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(503) });
    await stage.hook(receiver.url, { config: { url: receiver.url, retries: 0 } });
    await stage.poller();
    await stage.announce();
    await stage.deliveries(([row]) => row?.state === 'dead' && row.attempts === 1);
  });

  it.each([
    ['seconds', () => '120'],
    ['a date', () => new Date(Date.now() + 121_000).toUTCString()],
  ])('wait as long as Retry-After asks in %s', async (_, retryAfter) => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    receiver.behave((response, ...rest) => status(429, { 'retry-after': retryAfter() })(response, ...rest));
    await stage.hook(receiver.url);
    await stage.poller();
    const before = Date.now();
    await stage.announce();
    const [row] = await stage.deliveries(([row]) => row?.attempts === 1);
    expect(row?.dueAt).toBeGreaterThanOrEqual(before + 120_000);
    expect(row?.dueAt).toBeLessThan(Date.now() + 146_000);
  });

  it('are dead at once after 410, and a second one disables the hook and says why', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(410) });
    const hookId = await stage.hook(receiver.url);
    await stage.poller();
    await stage.announce();
    await stage.deliveries(([row]) => row?.state === 'dead' && row.attempts === 1);
    expect(await stage.store.get('hooks', { id: hookId })).toMatchObject({ enabled: true });
    await stage.announce();
    const hook = () => stage.store.get('hooks', { id: hookId });
    expect(await until(hook, ({ enabled }) => !enabled)).toMatchObject({
      disabledReason: expect.stringContaining('410'),
    });
    expect(await stage.store.from('auditLog')).toMatchObject([{ key: 'Hook.Disabled', payload: { hookId } }]);
  });

  it('are dead at once when the address is not allowed', async () => {
    await using stage = await Stage.open(kind);
    await stage.hook('http://169.254.169.254/latest/meta-data');
    await stage.poller();
    await stage.announce();
    await stage.deliveries(([row]) => row?.state === 'dead');
    expect(await attemptsOf(stage)).toMatchObject([{ errorClass: 'blocked', status: null, isSuccess: false }]);
  });

  it('are cancelled when their hook was disabled meanwhile', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await stage.hook(receiver.url);
    await stage.announce();
    await stage.store.change('hooks', { id: hookId }, { enabled: false });
    await stage.poller();
    await stage.deliveries(([row]) => row?.state === 'cancelled');
    expect(receiver.arrivals).toEqual([]);
  });

  it('vanish with their hook, also while one is under way', async () => {
    await using stage = await Stage.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: slow(150) });
    const hookId = await stage.hook(receiver.url);
    const otherId = await stage.hook(receiver.url);
    const poller = await stage.poller();
    await stage.announce();
    await receiver.reach(2);
    await stage.store.transaction((store) => removeHook(store, hookId));
    await clearDeliveries(stage.database);
    await stage.deliveries(none);
    await poller.stop();
    expect(await attemptsOf(stage)).toMatchObject([{ hookId: otherId }]);
  });
});
