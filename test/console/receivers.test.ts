import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { receivers } from '../../src/console/places/webhooks/receivers.ts';
import { freePort } from '../support/free-port.ts';

const SECRET = `whsec_${btoa('a key of a test, long enough')}`;

it('shows the same receivers as docs/webhooks.md', () => {
  const text = readFileSync('docs/webhooks.md', 'utf8');
  expect(receivers.map(({ code }) => text.includes(code))).toEqual([true, true, true]);
});

it('shows a receiver that accepts signed requests only', async () => {
  const port = await freePort();
  const [{ code } = { code: '' }] = receivers;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', code.replace('listen(4000)', `listen(${port}, () => console.log('ready'))`)],
    {
      env: { ...process.env, WEBHOOK_SECRET: SECRET },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    await once(child.stdout, 'data');
    const body = JSON.stringify({ event: 'User.Created' });
    const at = new Date();
    const send = async (signature: string) => {
      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signature,
      };
      return (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body })).status;
    };
    expect(await send(new Webhook(SECRET).sign('msg_1', at, body))).toBe(204);
    expect(await send(`v1,${btoa('forged')}`)).toBe(401);
  } finally {
    child.kill();
  }
});
