import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { type Answer, postForm } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const SCOPE = 'admin-api-tenants';

describe.each(databases)("the operators' scope on %s", (kind) => {
  let service: TestService;
  let database: Database;
  let store: TenantStore;
  /** The role that the first start assigned to the operator's application. */
  let operatorRole: string;
  beforeAll(async () => {
    service = await startService(kind);
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    store = new TenantStore(database, 'default');
    operatorRole = (await store.get('applicationRoles', { applicationId: service.credentials.operator.clientId }))
      .roleId;
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const forbidden = { status: 403, body: { code: 'auth.forbidden', data: { scope: 'tenants' } } };
  const call = (route: string, body?: unknown): Promise<Answer> => service.api.call(route, body);
  const machineRole = (name: string, scopeIds: string[] = []) =>
    call('POST /roles', { name, description: name, type: 'MachineToMachine', scopeIds });
  const tokenOf = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) =>
    postForm(
      `${service.url}/oidc/token`,
      { grant_type: 'client_credentials', resource: `${service.url}/admin/api`, scope: 'tenants' },
      { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    );

  it('cannot be added to a role by an application without it', async () => {
    expect(await machineRole('Made operator', [SCOPE])).toMatchObject(forbidden);
    expect(await service.api.must('GET /roles?search=Made operator')).toEqual([]);
    const { id } = (await machineRole('Grown operator')).body;
    expect(await call(`POST /roles/${id}/scopes`, { scopeIds: ['management-api-all', SCOPE] })).toMatchObject(
      forbidden,
    );
    expect(await service.api.must(`GET /roles/${id}/scopes`)).toEqual([]);
  });

  it('cannot be assigned to an application through a role by an application without it', async () => {
    const { machine } = service.credentials;
    const { id: applicationId } = await service.api.must('POST /applications', {
      name: 'Accomplice',
      type: 'MachineToMachine',
    });
    for (const id of [machine.clientId, applicationId]) {
      expect(await call(`POST /applications/${id}/roles`, { roleIds: [operatorRole] })).toMatchObject(forbidden);
      expect(await call(`PUT /applications/${id}/roles`, { roleIds: [operatorRole] })).toMatchObject(forbidden);
      expect(await call(`POST /roles/${operatorRole}/applications`, { applicationIds: [id] })).toMatchObject(forbidden);
    }
    expect((await tokenOf(machine)).body.scope ?? '').toBe('');
    // The backend can still assign its own role.
    const { roleId } = await store.get('applicationRoles', { applicationId: machine.clientId });
    expect((await call(`PUT /applications/${applicationId}/roles`, { roleIds: [roleId] })).status).toBe(200);
  });

  it("protects the operator's client secrets from an application without it", async () => {
    const path = `/applications/${service.credentials.operator.clientId}/secrets`;
    for (const [route, body] of [
      [`GET ${path}`],
      [`POST ${path}`, { name: 'mine' }],
      [`PATCH ${path}/First secret`, { name: 'renamed' }],
      [`DELETE ${path}/First secret`],
    ] as const) {
      const answer = await call(route, body);
      expect(answer).toMatchObject(forbidden);
      expect(JSON.stringify(answer.body)).not.toContain(service.credentials.operator.clientSecret);
    }
    expect((await tokenOf(service.credentials.operator)).body.scope).toBe('tenants');
    expect((await call(`GET /applications/${service.credentials.machine.clientId}/secrets`)).status).toBe(200);
  });

  it('can be assigned by an application that has it besides the scope of the Management API', async () => {
    const { machine, operator } = service.credentials;
    await store.add('applicationRoles', [{ applicationId: machine.clientId, roleId: operatorRole }]);
    const { status, body } = await machineRole('Second operator', [SCOPE]);
    expect(status).toBe(200);
    expect((await call(`POST /applications/${machine.clientId}/roles`, { roleIds: [body.id] })).status).toBe(201);
    expect((await call(`GET /applications/${operator.clientId}/secrets`)).status).toBe(200);
  });
});
