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
import { PollerHarness, SIGNING_KEY, until } from './poller-harness.ts';

const none = (rows: unknown[]) => rows.length === 0;
const attemptsOf = (harness: PollerHarness): Promise<AttemptRow[]> => harness.store.from('attempts').orderBy('number');

describe.each(databases)('deliveries on %s', (kind) => {
  it('arrive at once with both signatures, and are recorded as an attempt', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    vi.useFakeTimers({ toFake: ['setInterval'] }); // Disables polling.
    await harness.poller();
    vi.useRealTimers();
    await harness.announce();

    const { body, headers } = await receiver.next('User.Created');
    expect(JSON.parse(body)).toEqual({ event: 'User.Created', createdAt: expect.any(String), data: { n: 0 }, hookId });
    for (const Library of [Webhook, SvixWebhook]) {
      expect(new Library(webhookSecret(SIGNING_KEY)).verify(body, headers as Record<string, string>)).toBeDefined();
    }
    await harness.deliveries(none);
    const [event] = await harness.store.from('events');
    expect(headers['webhook-id']).toBe(event?.id);
    expect(await attemptsOf(harness)).toMatchObject([
      { hookId, eventId: event?.id, number: 1, status: 200, isSuccess: true, trigger: 'schedule', errorClass: null },
    ]);
  });

  it('go only to enabled webhooks that subscribe to the event', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    await harness.hook(receiver.url, { events: ['User.Deleted'] });
    await harness.hook(receiver.url, { enabled: false });
    const hookId = await harness.hook(receiver.url, { events: [], event: 'User.Created' });
    await harness.poller();
    await harness.announce();
    expect(JSON.parse((await receiver.next()).body)).toMatchObject({ hookId });
    await harness.deliveries(none);
    expect(receiver.arrivals).toHaveLength(1);
  });

  it('are found by polling if the commit was not announced', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    await harness.hook(receiver.url);
    await harness.announce();
    await harness.poller();
    await receiver.next();
  });

  it('reach an endpoint that was down, with the same id and body', async () => {
    await using harness = await PollerHarness.open(kind);
    const down = await WebhookReceiver.start({ port: await freePort() });
    await harness.hook(down.url);
    await harness.poller({ retryScheduleSeconds: Array(60).fill(0) });
    await down.stop();
    await harness.announce();
    await harness.deliveries(([row]) => row !== undefined && row.attempts > 0);

    await using up = await WebhookReceiver.start({ port: down.port, behaviour: inTurn(status(500), status(200)) });
    const [first, second] = [await up.next(), await up.next()];
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    await harness.deliveries(none);
    const made = (await attemptsOf(harness)).map(({ status, errorClass }) => [status, errorClass]);
    // There may have been several attempts while it was down.
    const refused = made.slice(0, -2).map(() => [null, 'connect']);
    expect(refused).not.toEqual([]);
    expect(made).toEqual([...refused, [500, 'status'], [200, null]]);
  });

  it.each([
    ['500', status(500), 'status', 500],
    ['400', status(400), 'status', 400],
    ['a redirect to loopback', status(302, { location: 'http://127.0.0.1:1/' }), 'status', 302],
    ['a redirect to metadata', status(307, { location: 'http://169.254.169.254/latest' }), 'status', 307],
    ['no response', hang, 'timeout', null],
    ['a late response', slow(3000), 'timeout', null],
    ['a response sent one byte at a time', drip(50), 'timeout', 200],
    ['a truncated response', cutMidBody(), 'reset', 200],
    ['20 KB of headers', hugeHeaders(20_000), 'headers_too_large', null],
  ])('are retried after %s', async (_, behaviour, errorClass, code) => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: inTurn(behaviour, status(200)) });
    await harness.hook(receiver.url);
    await harness.poller(errorClass === 'timeout' ? { timeoutMs: 400 } : {});
    await harness.announce();
    await receiver.reach(2);
    await harness.deliveries(none);
    const [failed, made] = await attemptsOf(harness);
    expect(failed).toMatchObject({ errorClass, status: code, isSuccess: false, number: 1 });
    expect(made).toMatchObject({ isSuccess: true, number: 2 });
  });

  it('succeed if the response body is endless, and keep 8 KiB of it', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: endlessBody });
    await harness.hook(receiver.url);
    await harness.poller();
    await harness.announce();
    await receiver.next();
    await harness.deliveries(none);
    expect((await attemptsOf(harness))[0]?.responseBody).toHaveLength(8192);
  });

  it('fail permanently when the retry schedule ends, and only then', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(503, {}, 'busy') });
    await harness.hook(receiver.url);
    await harness.poller({ retryScheduleSeconds: [0, 0, 0] });
    await harness.announce();
    const [row] = await harness.deliveries(([row]) => row?.state === 'dead');
    expect(row).toMatchObject({ attempts: 3, lastStatus: 503, leaseOwner: null });
    expect((await attemptsOf(harness)).map(({ responseBody }) => responseBody)).toEqual(['busy', 'busy', 'busy']);
  });

  it('are attempted once if the webhook is configured without retries', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(503) });
    await harness.hook(receiver.url, { config: { url: receiver.url, retries: 0 } });
    await harness.poller();
    await harness.announce();
    await harness.deliveries(([row]) => row?.state === 'dead' && row.attempts === 1);
  });

  it.each([
    ['seconds', () => '120'],
    ['a date', () => new Date(Date.now() + 121_000).toUTCString()],
  ])('wait as long as Retry-After requires (in %s)', async (_, retryAfter) => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    receiver.behave((response, ...rest) => status(429, { 'retry-after': retryAfter() })(response, ...rest));
    await harness.hook(receiver.url);
    await harness.poller();
    const before = Date.now();
    await harness.announce();
    const [row] = await harness.deliveries(([row]) => row?.attempts === 1);
    expect(row?.dueAt).toBeGreaterThanOrEqual(before + 120_000);
    expect(row?.dueAt).toBeLessThan(Date.now() + 146_000);
  });

  it('fail permanently after 410, and a second 410 disables the webhook with a reason', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: status(410) });
    const hookId = await harness.hook(receiver.url);
    await harness.poller();
    await harness.announce();
    await harness.deliveries(([row]) => row?.state === 'dead' && row.attempts === 1);
    expect(await harness.store.get('hooks', { id: hookId })).toMatchObject({ enabled: true });
    await harness.announce();
    const hook = () => harness.store.get('hooks', { id: hookId });
    expect(await until(hook, ({ enabled }) => !enabled)).toMatchObject({
      disabledReason: expect.stringContaining('410'),
    });
    expect(await harness.store.from('auditLog')).toMatchObject([{ key: 'Hook.Disabled', payload: { hookId } }]);
  });

  it('fail permanently if the address is not allowed', async () => {
    await using harness = await PollerHarness.open(kind);
    await harness.hook('http://169.254.169.254/latest/meta-data');
    await harness.poller();
    await harness.announce();
    await harness.deliveries(([row]) => row?.state === 'dead');
    expect(await attemptsOf(harness)).toMatchObject([{ errorClass: 'blocked', status: null, isSuccess: false }]);
  });

  it('are cancelled if their webhook has been disabled', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start();
    const hookId = await harness.hook(receiver.url);
    await harness.announce();
    await harness.store.change('hooks', { id: hookId }, { enabled: false });
    await harness.poller();
    await harness.deliveries(([row]) => row?.state === 'cancelled');
    expect(receiver.arrivals).toEqual([]);
  });

  it('are removed with their webhook, even while one is in flight', async () => {
    await using harness = await PollerHarness.open(kind);
    await using receiver = await WebhookReceiver.start({ behaviour: slow(150) });
    const hookId = await harness.hook(receiver.url);
    const otherId = await harness.hook(receiver.url);
    const poller = await harness.poller();
    await harness.announce();
    await receiver.reach(2);
    await harness.store.transaction((store) => removeHook(store, hookId));
    await clearDeliveries(harness.database);
    await harness.deliveries(none);
    await poller.stop();
    expect(await attemptsOf(harness)).toMatchObject([{ hookId: otherId }]);
  });
});
