import { describe, expect, it } from 'vitest';
import { connect } from '../src/database/connect.ts';
import { createRegistry } from '../src/observe/metrics.ts';
import { webhookGauges } from '../src/webhooks/sending/metrics.ts';
import { databases } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { startService } from './support/start-service.ts';
import { hang, status, WebhookReceiver } from './support/webhook-receiver.ts';

describe.each(databases)('metrics on %s', (kind) => {
  it('cover webhooks, requests and the process, and name no user', async () => {
    const port = await freePort();
    await using service = await startService(kind, { DEMO: 'false', METRICS_PORT: String(port) });
    await using receiver = await WebhookReceiver.start({ behaviour: status(500) });
    const config = { url: receiver.url, retries: 0 };
    await service.api.must('POST /hooks', { name: 'Mine', events: ['Role.Created', 'Role.Deleted'], config });
    const role = await service.api.must('POST /roles', { name: 'Told', description: 'Told' });
    await receiver.next('Role.Created');
    receiver.behave(status(204));
    await service.api.must(`DELETE /roles/${role.id}`);
    await receiver.next('Role.Deleted');
    expect((await fetch(`${service.url}/oidc/token`)).status).toBe(404); // Counts as no token.

    const read = async () => (await fetch(`http://localhost:${port}/metrics`)).text();
    await expect.poll(read).toContain('understudy_webhook_deliveries_dead 1\n');
    await expect.poll(read).toContain('understudy_webhook_attempts_total{result="success"} 1\n');
    await expect.poll(read).toContain('understudy_webhook_in_flight 0\n');
    const text = await read();
    for (const line of [
      'understudy_webhook_deliveries_due 0',
      'understudy_webhook_oldest_due_age_seconds 0',
      'understudy_webhook_attempts_total{result="status"} 1',
      'understudy_webhook_attempt_seconds_count 2',
      'understudy_webhook_first_attempt_delay_seconds_count 2',
      'understudy_webhook_breakers{state="closed"} 1',
      'understudy_webhook_breakers{state="open"} 0',
      'understudy_http_request_seconds_count{area="token",status="2xx"} 1',
      'understudy_tokens_total{grant="client_credentials",outcome="issued"} 1',
      'understudy_http_request_seconds_count{area="api",status="2xx"} 3',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).not.toContain('grant="other"');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).not.toContain(new URL(receiver.url).host);
    expect(text).not.toContain('default');
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(404);
  });
});

describe.each(databases)('leases on %s', (kind) => {
  it('are counted as expired when another process takes the delivery over', async () => {
    const port = await freePort();
    await using service = await startService(kind, { DEMO: 'false', METRICS_PORT: String(port) });
    await using receiver = await WebhookReceiver.start({ behaviour: hang });
    await service.api.must('POST /hooks', { name: 'Mine', events: ['Role.Created'], config: { url: receiver.url } });
    await service.api.must('POST /roles', { name: 'Told', description: 'Told' });
    await receiver.next('Role.Created');
    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    await database.write((db) => db('deliveries').update({ leaseUntil: 1, leaseOwner: 'a killed process' }));
    await database.close();
    receiver.behave(status(204));
    await receiver.next('Role.Created');
    const read = async () => (await fetch(`http://localhost:${port}/metrics`)).text();
    await expect.poll(read).toContain('understudy_webhook_leases_expired_total 1\n');
  });
});

it('serves no metrics without METRICS_PORT, and names the port that is in use', async () => {
  await using service = await startService('sqlite', { DEMO: 'false' });
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  const taken = startService('sqlite', { DEMO: 'false', METRICS_PORT: new URL(service.url).port });
  await expect(taken).rejects.toThrow(/^METRICS_PORT \d+ is already in use/);
});

it('omits the figures that the database cannot provide', async () => {
  const registry = createRegistry();
  let backlog = async () => ({ due: 3, oldestDueAt: 4_000, dead: 1 });
  const breakers = { closed: 0, open: 2, probing: 0 };
  const stats = () => ({ inFlight: 5, queued: 6, breakers });
  webhookGauges(
    registry,
    stats,
    () => backlog(),
    () => 10_000,
  );
  expect(await registry.metrics()).toContain('understudy_webhook_oldest_due_age_seconds 6\n');
  backlog = () => Promise.reject(new Error('down'));
  const text = await registry.metrics();
  expect(text).not.toMatch(/^understudy_webhook_(deliveries|oldest)\w* /m);
  expect(text).toContain('understudy_webhook_breakers{state="open"} 2\n');

  backlog = () => new Promise(() => {});
  expect(await registry.metrics()).toContain('understudy_webhook_breakers{state="open"} 2\n');
});
