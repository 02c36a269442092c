import { expect, it } from 'vitest';
import { startService } from '../support/start-service.ts';
import { spyOnStatements } from '../support/statements.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

// SQLite has a single writer connection, so a long read on it would make all writes wait.
it('searches the events of a replay on SQLite outside the writer connection', async () => {
  await using service = await startService('sqlite');
  await using receiver = await WebhookReceiver.start();
  const { api } = service;
  const hook = { name: 'Mine', events: ['Role.Created'], config: { url: receiver.url } };
  const { id } = await api.must('POST /hooks', hook);
  for (const name of ['One', 'Two', 'Three']) await api.must('POST /roles', { name, description: name });
  await expect.poll(() => api.must(`GET /hooks/${id}/recent-logs`)).toHaveLength(3);

  const sent: { connection: object; sql: string }[] = [];
  const spy = spyOnStatements('sqlite', ({ sql }, connection) => sent.push({ connection, sql }));
  const { count } = await api.must(`POST /hooks/${id}/replay`, { since: 0, state: 'delivered' });
  expect(count).toBe(3);
  await receiver.reach(6);
  spy.mockRestore();

  const writer = sent.find(({ sql }) => sql === 'begin immediate')?.connection;
  expect(writer).toBeDefined();
  const searches = sent.filter(({ sql }) => /`events` where .*`occurred_at` between/.test(sql));
  expect(searches.length).toBe(2); // One to count them, one to send them.
  expect(searches.filter(({ connection }) => connection === writer)).toEqual([]);
});
