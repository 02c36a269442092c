import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { secondsOf } from '../../src/base/clock.ts';
import { signatureHeaders, webhookSecret } from '../../src/webhooks/signatures/signature.ts';

const key = 'k4Vb0wJ8sQ2mXr7TzLp5Yc1NdEa9HfGu';
const olderKey = 'older0wJ8sQ2mXr7TzLp5Yc1NdEa9Hfo';
const body = Buffer.from('{"event":"User.Created","data":{"name":"Zoë 🦊"},"hookId":"h1"}');
const sign = (keys: string[], timestamp = secondsOf(Date.now())) =>
  signatureHeaders({ id: 'evt1', timestamp, body, keys });

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('the official library %s', (_, Webhook) => {
  const verify = (signingKey: string, text: Buffer, headers: Record<string, string>) =>
    new Webhook(webhookSecret(signingKey)).verify(text.toString(), headers);

  it('accepts our signature', () => {
    expect(verify(key, body, sign([key]))).toMatchObject({ event: 'User.Created' });
  });

  it('accepts the old and the new secret while a rotation overlaps', () => {
    const headers = sign([key, olderKey]);
    expect(verify(key, body, headers)).toBeDefined();
    expect(verify(olderKey, body, headers)).toBeDefined();
  });

  it('refuses another secret, a changed body, id or timestamp, and an old message', () => {
    const headers = sign([key]);
    expect(() => verify(olderKey, body, headers)).toThrow();
    expect(() => verify(key, Buffer.from(`${body} `), headers)).toThrow();
    expect(() => verify(key, body, { ...headers, 'webhook-id': 'evt2' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verify(key, body, { ...headers, 'webhook-timestamp': later })).toThrow();
    expect(() => verify(key, body, sign([key], secondsOf(Date.now()) - 3600))).toThrow();
  });
});

describe('the logto-signature-sha-256 header', () => {
  it('is the hex HMAC-SHA256 of the exact body', () => {
    const expected = createHmac('sha256', key).update(body).digest('hex');
    expect(sign([key])['logto-signature-sha-256']).toBe(expected);
  });

  it('is signed with the newest secret only', () => {
    const name = 'logto-signature-sha-256';
    expect(sign([key, olderKey])[name]).toBe(sign([key])[name]);
  });
});
