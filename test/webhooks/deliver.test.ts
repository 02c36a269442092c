import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { HttpClient } from '../../src/net/http-client.ts';
import { bodyFor, deliver } from '../../src/webhooks/sending/deliver.ts';
import { checkHeaders } from '../../src/webhooks/sending/hook-headers.ts';
import { webhookSecret } from '../../src/webhooks/signatures/signature.ts';
import { cutMidBody, drip, endlessBody, hang, status, WebhookReceiver } from '../support/webhook-receiver.ts';

const key = 'k4Vb0wJ8sQ2mXr7TzLp5Yc1NdEa9HfGu';
const stored = '{"event":"User.Created","createdAt":"2026-01-01T00:00:00.000Z","data":{"name":"Zoë"}}';
const client = new HttpClient({ guard: new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] }) });
afterAll(() => client.close());

const attempt = (url: string, headers: Record<string, string> = {}, deadlineMs = 2000) =>
  deliver(
    client,
    { hookId: 'hook1', url, headers, keys: [key] },
    { id: 'evt1', body: stored },
    { deadlineMs, maxResponseBytes: 65_536 },
    Date.now,
  );

describe('the request', () => {
  it('contains the stored body with hookId as its last member, signed', async () => {
    await using receiver = await WebhookReceiver.start();
    await attempt(receiver.url);
    const { body, headers, method } = await receiver.next('User.Created');
    expect(method).toBe('POST');
    expect(body).toBe(`${stored.slice(0, -1)},"hookId":"hook1"}`);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Understudy',
      'webhook-id': 'evt1',
    });
    const verified = new Webhook(webhookSecret(key)).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ hookId: 'hook1' });
  });

  it('has the same body at every attempt', () => {
    expect(bodyFor('hook1', stored)).toEqual(bodyFor('hook1', stored));
  });

  it('has the configured headers, which cannot override the built-in ones', async () => {
    await using receiver = await WebhookReceiver.start();
    await attempt(receiver.url, { Authorization: 'Bearer a', 'User-Agent': 'evil', 'Webhook-Id': 'forged' });
    const { headers } = await receiver.next();
    expect(headers).toMatchObject({ authorization: 'Bearer a', 'user-agent': 'Understudy', 'webhook-id': 'evt1' });
  });
});

describe('configured headers', () => {
  it.each(['Authorization', 'x-tenant', 'Accept'])('can include %s', (name) => {
    expect(checkHeaders({ [name]: 'value' })).toBeUndefined();
  });

  it.each(['Host', 'content-type', 'Content-Length', 'transfer-encoding', 'Connection', 'webhook-id', 'Logto-X', 'TE'])(
    'cannot include %s',
    (name) => {
      expect(checkHeaders({ [name]: 'value' })).toContain(name);
    },
  );

  it('must have valid names and values', () => {
    expect(checkHeaders({ 'bad name': 'value' })).toContain('bad name');
    expect(checkHeaders({ 'x-split': 'a\r\nx-injected: b' })).toContain('x-split');
  });
});

describe('the outcome', () => {
  it.each([200, 201, 204, 299])('is a success after %d', async (code) => {
    await using receiver = await WebhookReceiver.start({ behaviour: status(code) });
    expect(await attempt(receiver.url)).toMatchObject({ status: code, error: undefined });
  });

  it.each([302, 400, 410, 429, 500, 503])('is a failure after %d', async (code) => {
    await using receiver = await WebhookReceiver.start({ behaviour: status(code, { 'retry-after': '17' }, 'why') });
    const expected = { status: code, error: 'status', responseBody: 'why', retryAfter: '17' };
    expect(await attempt(receiver.url)).toMatchObject(expected);
  });

  it('keeps 8 KiB of the response, as text that any database can store', async () => {
    await using receiver = await WebhookReceiver.start({ behaviour: endlessBody });
    const { error, responseBody } = await attempt(receiver.url);
    expect(error).toBeUndefined();
    expect(responseBody).toHaveLength(8192);
    receiver.behave(status(200, {}, 'a\0b'));
    expect(await attempt(receiver.url)).toMatchObject({ responseBody: 'a\uFFFDb' });
  });

  it.each([
    ['timeout', hang, undefined],
    ['timeout', drip(10), 200],
    ['reset', cutMidBody(), 200],
  ])('is %s if the response is incomplete, even after status 200', async (error, behaviour, code) => {
    await using receiver = await WebhookReceiver.start({ behaviour });
    expect(await attempt(receiver.url, {}, 1_000)).toMatchObject({ error, status: code, message: expect.any(String) });
  });

  it('is blocked if the address is not allowed', async () => {
    expect(await attempt('http://10.0.0.1/')).toMatchObject({ error: 'blocked', status: undefined });
  });

  it('includes when the attempt started and how long it took', async () => {
    await using receiver = await WebhookReceiver.start({
      behaviour: (response) => setTimeout(() => response.end(), 50),
    });
    const before = Date.now();
    const { startedAt, durationMs } = await attempt(receiver.url);
    expect(startedAt).toBeGreaterThanOrEqual(before);
    expect(durationMs).toBeGreaterThanOrEqual(45);
  });

  it('is followed by closing the connection if the endpoint does not', async () => {
    await using receiver = await WebhookReceiver.start();
    const closed = new Promise((resolve) => {
      receiver.behave((response) => response.socket?.once('close', resolve));
    });
    await attempt(receiver.url, {}, 2_000);
    await closed;
  });
});
