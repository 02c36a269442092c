import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { castOf } from './support/cast.ts';
import { freePort } from './support/free-port.ts';
import { startService, type TestService } from './support/start-service.ts';

/** The example of docs/impersonation.md reads the revoked tokens every 5 s. */
const REVOCATION_TIMEOUT_MS = 15_000;

/** Returns the JavaScript example of a document that starts with these words. */
function exampleOf(file: string, start: string): string {
  const blocks = [...readFileSync(file, 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const code = blocks.find((block) => block.startsWith(start));
  if (code === undefined) throw new Error(`${file} has no example that starts with: ${start}`);
  return code;
}

let service: TestService;
beforeAll(async () => {
  service = await startService('sqlite');
});
afterAll(() => service[Symbol.asyncDispose]());

it('the resource server of docs/impersonation.md verifies tokens and notices revocation', async () => {
  const { spa, mint } = castOf(service);
  const port = await freePort();
  const code = exampleOf('docs/impersonation.md', 'import express');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${code}console.log('started');`], {
    env: { ...process.env, ENDPOINT: service.url, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const request = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`http://127.0.0.1:${port}/orders`, { headers })).status;
    };
    const { body } = await spa.exchange({ subject_token: await mint() });
    expect(await request(body.access_token)).toBe(200);
    expect(await request(await service.api.token())).toBe(401);
    expect(await request('')).toBe(401);

    const [{ id }] = await service.api.must('GET /impersonations');
    await service.api.must(`POST /impersonations/${id}/revoke`);
    const deadline = Date.now() + REVOCATION_TIMEOUT_MS;
    while ((await request(body.access_token)) === 200 && Date.now() < deadline) await pause(200);
    expect(await request(body.access_token)).toBe(401);
  } finally {
    child.kill();
  }
});

it('the function of docs/webhooks.md accepts signed messages and refuses forged and old ones', async () => {
  const code = exampleOf('docs/webhooks.md', 'import { createHmac');
  const { verify } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
  const secret = `whsec_${btoa('a signing secret of 32 characters')}`;
  const body = JSON.stringify({ event: 'User.Created' });
  const headersAt = (at: Date) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,${btoa('another')} ${new Webhook(secret).sign('msg_1', at, body)}`,
  });
  const [now, earlier] = [new Date(), new Date(Date.now() - 301_000)];
  expect(verify(secret, headersAt(now), body)).toBe(true);
  expect(verify(secret, headersAt(now), `${body} `)).toBe(false);
  expect(verify(secret, headersAt(earlier), body)).toBe(false);
  expect(verify(secret, { ...headersAt(now), 'webhook-signature': undefined }, body)).toBe(false);
  expect(verify(secret, {}, body)).toBe(false);
});
