import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { tenantTables } from '../../src/database/tables/index.ts';
import { createMigrated, databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';

const SECRET = 'Bearer token-of-the-receiver';
const NEWER = 'Bearer newer-token-of-the-receiver';

describe.each(databases)('the headers of a webhook on %s', (kind) => {
  const open = ({ url, dataDir }: { url: string | undefined; dataDir: string }) =>
    connect({ databaseUrl: url, dataDir, poolSize: 1 });

  it('are sent and shown, and are encrypted in the database', async () => {
    await using shared = await createMigrated(kind);
    await using service = await startService(kind, {}, shared);
    await using receiver = await WebhookReceiver.start({ behaviour: status(503, {}, 'later') });
    const { api } = service;
    const config = { url: receiver.url, headers: { authorization: SECRET }, retries: 0 };
    const hook = await api.must('POST /hooks', { name: 'Mine', events: ['Role.Created'], config });
    expect(hook.config).toEqual(config);
    const announce = (name: string) => api.must('POST /roles', { name, description: name });

    await announce('First');
    expect((await receiver.next()).headers.authorization).toBe(SECRET);
    const newer = { ...config, headers: { authorization: NEWER } };
    expect((await api.must(`PATCH /hooks/${hook.id}`, { config: newer })).config).toEqual(newer);
    expect((await api.must(`PATCH /hooks/${hook.id}`, { name: 'Ours' })).config).toEqual(newer);
    await announce('Second');
    expect((await receiver.next()).headers.authorization).toBe(NEWER);
    await api.call(`POST /hooks/${hook.id}/test`, { events: ['Role.Created'], config });
    await receiver.next();
    await expect.poll(() => api.must(`GET /hooks/${hook.id}/recent-logs`)).toHaveLength(2);
    expect((await api.must('GET /hooks')).find(({ id }: { id: string }) => id === hook.id).config).toEqual(newer);

    const database = open(shared);
    const rows = await Promise.all(tenantTables.map((table) => database.reader(table)));
    await database.close();
    expect(JSON.stringify(rows)).toContain(receiver.url);
    expect(JSON.stringify(rows)).not.toContain('token-of-the-receiver');

    const { headers: _, ...without } = config;
    expect((await api.must(`PATCH /hooks/${hook.id}`, { config: without })).config).toEqual(without);
    await announce('Third');
    expect((await receiver.next()).headers).not.toHaveProperty('authorization');
  });

  it('are encrypted at the next start if an earlier release stored them in plain text', async () => {
    await using shared = await createMigrated(kind);
    await using receiver = await WebhookReceiver.start();
    const before = await startService(kind, {}, shared);
    const hook = { name: 'Mine', events: ['Role.Created'], config: { url: receiver.url } };
    const { id } = await before.api.must('POST /hooks', hook);
    await before.stop();

    const database = open(shared);
    const config = { ...hook.config, headers: { authorization: SECRET } };
    await database.write((db) =>
      db('hooks')
        .where({ id })
        .update({ config: JSON.stringify(config) }),
    );
    await using after = await startService(kind, { PORT: new URL(before.url).port }, shared);
    const row = await database.reader('hooks').where({ id }).first();
    await database.close();
    expect(row).toMatchObject({ config: hook.config, headersEncrypted: expect.stringMatching(/^1\./) });

    expect(after.url).toBe(before.url);
    expect((await before.api.must(`GET /hooks/${id}`)).config).toEqual(config);
    await before.api.must('POST /roles', { name: 'First', description: 'First' });
    expect((await receiver.next()).headers.authorization).toBe(SECRET);
  });
});
