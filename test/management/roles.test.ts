import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('roles on %s', (kind) => {
  it('are created with their scopes, changed and deleted', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const resource = await api.must('POST /resources', { name: 'Orders', indicator: 'https://orders.example/api' });
    const scope = await api.must(`POST /resources/${resource.id}/scopes`, { name: 'read:orders' });

    const created = await api.call('POST /roles', { name: 'Support', description: 'Helps', scopeIds: [scope.id] });
    expect(created).toMatchObject({ status: 200, body: { name: 'Support', type: 'User', isDefault: false } });
    expect(created.body).not.toHaveProperty('scopes');
    const { id } = created.body;
    expect((await api.must(`GET /roles/${id}/scopes`))[0]).toMatchObject({
      id: scope.id,
      resource: { id: resource.id },
    });
  });
});
