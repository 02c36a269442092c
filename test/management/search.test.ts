import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('GET /search on %s', (kind) => {
  it('finds users by the start of a name, and everything else by a part of its name, in any case', async () => {
    await using service = await startService(kind);
    const must = service.api.must.bind(service.api);
    const find = async (q: string, type?: string) => {
      const query = new URLSearchParams({ q, ...(type && { type }) });
      return (await must(`GET /search?${query}`)).map((one: { type: string; name: string }) => [one.type, one.name]);
    };
    await must('POST /users', {
      username: 'countess',
      name: 'Ada King Lovelace',
      primaryEmail: 'first@engine.example',
    });
    await must('POST /users', { username: 'lo_100', primaryPhone: '4915112345678' });
    await must('POST /organizations', { name: 'The Lovelace Society' });
    await must('POST /roles', { name: 'Engineer', description: 'Runs the engine' });

    const ada = ['user', 'Ada King Lovelace'];
    for (const text of ['ada', 'ADA k', 'Lovel', 'COUNT', 'first@ENG']) expect(await find(text)).toContainEqual(ada);
    expect(await find('king', 'user')).toEqual([]);
    expect(await find('4915112345678')).toEqual([['user', 'lo_100']]);
    expect(await find('lo_')).toEqual([['user', 'lo_100']]);
    expect(await find('lo%', 'user')).toEqual([]);
    expect(await find('love')).toEqual([ada, ['organization', 'The Lovelace Society']]);
    expect(await find('engine')).toContainEqual(['role', 'Engineer']);
    expect(await find('lovelace', 'organization')).toEqual([['organization', 'The Lovelace Society']]);
    expect(await find('  ')).toEqual([]);
    expect((await service.api.call('GET /search?q=')).status).toBe(400);
    expect((await service.api.call(`GET /search?q=${'x'.repeat(129)}`)).status).toBe(400);
  });

  it('finds what has only an id: audit log entries and webhooks with their deliveries', async () => {
    await using service = await startService(kind);
    const must = service.api.must.bind(service.api);
    const url = 'http://127.0.0.1:9/nothing';
    const hook = await must('POST /hooks', { name: 'Billing', events: ['Role.Created'], config: { url } });
    await must('POST /roles', { name: 'Clerk', description: 'Sells' });
    const { deliveries } = await must(`GET /hooks/${hook.id}/delivery-feed`);
    const { id } = deliveries[0];
    expect(await must(`GET /search?q=${id}`)).toEqual([
      { type: 'delivery', id, name: id, about: null, parentId: hook.id },
    ]);
    const [entry] = await must('GET /logs?logKey=Management.POST%20%2Froles&logKey=Management.POST%20%2Fhooks');
    expect(await must(`GET /search?q=${entry.id}`)).toMatchObject([{ type: 'log', about: 'Management.POST /roles' }]);
    expect(await must(`GET /search?q=${hook.id}`)).toMatchObject([{ type: 'webhook', name: 'Billing' }]);
  });
});
