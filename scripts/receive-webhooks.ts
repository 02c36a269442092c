import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { webhookSecret } from '../src/webhooks/signatures/signature.ts';

export const summary = 'Receive webhooks on this host, verify both signatures, and print them.';
export const usage = `--key <signing key> [--port <port>] [--status <status>]

  --key <signing key>   the signingKey that the API returned for the webhook
  --port <port>         the port to listen on (default: 4000)
  --status <status>     the status of every response (default: 200)`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      key: { type: 'string' },
      port: { type: 'string', default: '4000' },
      status: { type: 'string', default: '200' },
    },
  });
  const { key, port, status } = values;
  if (!key) throw new Error('--key is required: the signingKey that the API returned for the webhook');
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    print(request.headers, body, key);
    response.writeHead(Number(status)).end();
  });
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  console.log(
    `Receiving at http://127.0.0.1:${(server.address() as AddressInfo).port}/ and responding ${status}. Press Ctrl-C to stop.`,
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function print(headers: IncomingHttpHeaders, body: string, key: string): void {
  const checks = [
    `webhook-signature ${verdict(() => verifyStandard(headers, body, key))}`,
    `logto-signature-sha-256 ${verdict(() => verifyBody(headers, body, key))}`,
  ];
  console.log(`\n${new Date().toLocaleTimeString()}  ${headers['webhook-id'] ?? 'no webhook-id'}`);
  console.log(`  ${checks.join(', ')}`);
  console.log(readable(body).replace(/^/gm, '  '));
}

/** @throws if the signature does not match the key, or if the message is older than five minutes */
function verifyStandard(headers: IncomingHttpHeaders, body: string, key: string): void {
  new Webhook(webhookSecret(key)).verify(body, headers as Record<string, string>);
}

function verifyBody(headers: IncomingHttpHeaders, body: string, key: string): void {
  const expected = createHmac('sha256', key).update(body).digest();
  const given = Buffer.from(String(headers['logto-signature-sha-256'] ?? ''), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('it does not match');
}

function verdict(verify: () => void): string {
  try {
    verify();
    return 'verified';
  } catch (error) {
    return `REFUSED (${(error as Error).message})`;
  }
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
