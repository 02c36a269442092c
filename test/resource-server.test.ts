import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { castOf } from './support/cast.ts';
import { freePort } from './support/free-port.ts';
import { startService, type TestService } from './support/start-service.ts';

/** The example of docs/impersonation.md reads the revoked tokens every 5 s. */
const REVOCATION_TIMEOUT_MS = 15_000;

const example = (): string => {
  const [, code] = /^```js\n(import express.*?)^```$/ms.exec(readFileSync('docs/impersonation.md', 'utf8')) ?? [];
  if (!code) throw new Error('docs/impersonation.md has no example of a resource server');
  return code;
};

let service: TestService;
beforeAll(async () => {
  service = await startService('sqlite');
});
afterAll(() => service[Symbol.asyncDispose]());

it('verifies tokens and notices revocation, as docs/impersonation.md has it', async () => {
  const { spa, mint } = castOf(service);
  const port = await freePort();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${example()}console.log('started');`], {
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
