import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { secondsOf } from '../../src/base/clock.ts';
import { signatureHeaders } from '../../src/webhooks/signatures/signature.ts';
import { freePort } from '../support/free-port.ts';

it('receives, verifies and prints webhooks', async () => {
  const port = await freePort();
  const command = ['scripts/cli.ts', 'receive-webhooks', '--port', String(port), '--key', 'the-key'];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const until = async (part: string) => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`The output ended without ${part}`);
        if (value.includes(part)) return value;
      }
    };
    await until(`http://127.0.0.1:${port}/`);
    const post = async (body: string, signed = body) => {
      const timestamp = secondsOf(Date.now());
      const headers = signatureHeaders({ id: 'evt1', timestamp, body: Buffer.from(signed), keys: ['the-key'] });
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
    };
    expect(await post('{"event":"User.Created"}')).toBe(200);
    expect(await until('signature')).toBe('  webhook-signature verified, logto-signature-sha-256 verified');
    expect(await until('User.Created')).toBe('    "event": "User.Created"');
    await post('{"event":"forged"}', '{}');
    expect(await until('signature')).toMatch(/webhook-signature REFUSED .*logto-signature-sha-256 REFUSED/);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
