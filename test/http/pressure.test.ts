import { setImmediate as turn } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { AuditBatch } from '../../src/audit/batch.ts';
import { Commits } from '../../src/database/notices/commits.ts';
import { Figures } from '../../src/database/statistics/figures.ts';
import { HashingQueue } from '../../src/sign-in/proofs/hashing-queue.ts';
import { postForm } from '../support/call.ts';
import { createMigrated, databases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { RawSocket } from '../support/raw-socket.ts';
import { startService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const statusOf = async (url: string) => (await fetch(url)).status;

describe.each(databases)('an overloaded process on %s', (kind) => {
  it('refuses further requests and finishes those in progress', async () => {
    await using service = await startService(kind, { DEMO: 'false', MAX_REQUESTS: '2' });
    const answers: (() => void)[] = [];
    await using receiver = await WebhookReceiver.start({ behaviour: (response) => answers.push(() => response.end()) });
    const config = { url: receiver.url };
    const { id } = await service.api.must('POST /hooks', { name: 'Slow', events: ['User.Created'], config });

    // A request that is still arriving does not count.
    using slow = await RawSocket.to(service.url);
    slow.send(
      'POST /oidc/token HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na',
    );

    const test = () => service.api.call(`POST /hooks/${id}/test`, { events: ['User.Created'], config });
    const underWay = [test(), test(), test()];
    await receiver.reach(3);
    const refused = await service.api.call('GET /users');
    expect(refused).toMatchObject({ status: 503, body: { code: 'request.unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    const token = await postForm(`${service.url}/oidc/token`, { grant_type: 'client_credentials' });
    expect(token).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(token.headers.get('retry-after')).toBe('1');
    const headers = { accept: 'text/html', 'accept-language': 'de' };
    const page = await fetch(`${service.url}/oidc/auth?client_id=a`, { headers });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await page.text()).toContain('<h1>Der Dienst ist ausgelastet</h1>');
    expect([await statusOf(`${service.url}/healthz`), await statusOf(`${service.url}/readyz`)]).toEqual([200, 200]);

    for (const answer of answers) answer();
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await service.api.call('GET /users')).status).toBe(200);
  });
});

it('refuses requests while the event loop is late, but not after a single long pause', async () => {
  await using service = await startService('sqlite', { DEMO: 'false', MAX_EVENT_LOOP_DELAY_MS: '150' });
  const users = () => service.api.call('GET /users');
  await users();
  block(1_500);
  expect((await users()).status).toBe(200);

  let isBusy = true;
  const busy = (async () => {
    while (isBusy) {
      block(250);
      await turn();
    }
  })();
  try {
    await expect.poll(async () => (await users()).status).toBe(503);
  } finally {
    isBusy = false;
    await busy;
  }
  await expect.poll(async () => (await users()).status).toBe(200);
});

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('refuses requests while too many wait for a database connection', async () => {
  await using database = await createMigrated('postgres');
  const port = String(await freePort());
  await using service = await startService(
    'postgres',
    { DEMO: 'false', DATABASE_POOL_SIZE: '2', MAX_REQUESTS: '8', METRICS_PORT: port }, // Lets four requests wait.
    database,
  );
  await service.api.must('GET /users');
  const other = new Client(database.url);
  await other.connect();
  await other.query('begin; lock table users in access exclusive mode');
  const answers = Array.from({ length: 8 }, () => service.api.call('GET /users'));
  expect(await Promise.race(answers)).toMatchObject({ status: 503 });
  const metrics = await (await fetch(`http://localhost:${port}/metrics`)).text();
  expect(metrics).toMatch(/^understudy_http_shed_total\{reason="database"\} [1-9]/m);
  await other.end();
  // A list needs two connections at once, so any of the eight may be refused.
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(expect.arrayContaining([200, 503]));
  expect((await service.api.call('GET /users')).status).toBe(200);
});

it('reports that the audit log is behind until its entries are written', async () => {
  const { promise: isWritten, resolve: write } = Promise.withResolvers<never>();
  const database = { kind: 'sqlite', write: () => isWritten, figures: new Figures(), commits: new Commits() } as const;
  const audit = new AuditBatch({ database, onError: () => {} });
  const entry = { tenantId: 't', entry: { key: 'A', result: 'Success', payload: {}, createdAt: 0 } } as const;
  for (let count = 1; count < 10_000; count += 1) audit.add(entry);
  expect(audit.isBehind).toBe(false);
  audit.add(entry);
  expect(audit.isBehind).toBe(true);
  write(undefined as never);
  await audit.flush();
  expect(audit.isBehind).toBe(false);
});

const userOf = (tenantId: string) => ({ tenantId, isInteractive: true });

it('hashes a few passwords at a time, queues some per tenant and refuses the rest', async () => {
  const queue = new HashingQueue({ concurrency: 2, maxWaiting: 1 });
  const ends: (() => void)[] = [];
  const hash = () => queue.compute(userOf('a'), () => new Promise<void>((end) => ends.push(end)));
  const [first, second, third] = [hash(), hash(), hash()];
  await expect(hash()).rejects.toMatchObject({ code: 'request.unavailable', headers: { 'Retry-After': '1' } });
  expect([ends.length, queue.length]).toEqual([2, 1]);
  ends[0]?.();
  await first;
  await turn();
  expect([ends.length, queue.length]).toEqual([3, 0]);
  for (const end of ends) end();
  await Promise.all([second, third]);
  await expect(queue.compute(userOf('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.compute(userOf('a'), async () => 'still works')).toBe('still works');
});

it('hashes for the tenants in turn, and does not let users block applications', async () => {
  const queue = new HashingQueue({ concurrency: 1, maxWaiting: 8 });
  const order: string[] = [];
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const hash = (name: string, isInteractive: boolean) =>
    queue.compute({ tenantId: name, isInteractive }, () => {
      order.push(isInteractive ? name : name.toUpperCase());
      return isOpen;
    });
  const all = [
    ...Array.from({ length: 4 }, () => hash('a', false)),
    ...Array.from({ length: 5 }, () => hash('b', true)),
    hash('c', true),
    hash('d', false),
  ];
  open();
  await Promise.all(all);
  // The first was already running. Then users of each tenant in turn, with one application after every four of them.
  expect(order.join('')).toBe('AbcbbAbbDAA');
});
