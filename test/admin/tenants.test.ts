import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { MINUTE_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { removeDeletedTenants } from '../../src/database/retention.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { tenantTables } from '../../src/database/tables/index.ts';
import { type Answer, getJson, ManagementClient, postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** The time that a test needs between two runs of the service's jobs, even on a busy host. */
const NEEDED_MS = 15_000;

/** Waits for the next minute if little is left of this one, because jobs run with each minute. */
async function withinOneMinute(): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < NEEDED_MS) await pause(leftMs + 50);
}

describe.each(databases)('the operator API on %s', (kind) => {
  let service: TestService;
  let database: Database;
  let token: string;
  beforeAll(async () => {
    service = await startService(kind);
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
    token = await tokenFor(`${service.url}/admin/api`, 'tenants', service.credentials.operator);
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const tokenFor = async (
    resource: string,
    scope: string,
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
  ): Promise<string> => {
    const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const form = { grant_type: 'client_credentials', resource, scope };
    return (await postForm(`${service.url}/oidc/token`, form, headers)).body.access_token;
  };
  const call = async (route: string, body?: unknown, bearer = token, base = service.url): Promise<Answer> => {
    const [method, path] = route.split(' ') as [string, string];
    const response = await fetch(`${base}/admin/api${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };
  const make = (id: string, endpoints = [`${service.url}/${id}`]) => call('POST /tenants', { id, name: id, endpoints });
  const apiOf = ({ body }: Answer) =>
    new ManagementClient(body.endpoints[0], body.managementApiIndicator, body.machine);

  it('links to the resource metadata of RFC 9728 when it refuses a request', async () => {
    const refused = await fetch(`${service.url}/admin/api/tenants`);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect([refused.status, challenge]).toEqual([
      401,
      `Bearer resource_metadata="${service.url}/.well-known/oauth-protected-resource/admin/api"`,
    ]);
    const wrong = await call('GET /tenants', undefined, await service.api.token());
    expect(wrong.headers.get('www-authenticate')).toContain('/oauth-protected-resource/admin/api"');
    expect(await getJson(/"(http[^"]+)"/.exec(challenge)?.[1] ?? '')).toMatchObject({
      resource: `${service.url}/admin/api`,
      resource_name: 'Operator API',
      authorization_servers: [`${service.url}/oidc`],
      scopes_supported: ['tenants'],
      resource_documentation: `${service.url}/admin/api/docs`,
    });
    expect((await getJson(`${service.url}/.well-known/oauth-protected-resource/api`)).scopes_supported).toEqual([
      'all',
    ]);
  });

  it('creates a tenant that is served immediately, and returns its credentials once', async () => {
    const made = await make('acme');
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: 'acme',
        name: 'acme',
        endpoints: [`${service.url}/acme`],
        isSuspended: false,
        createdAt: expect.any(Number),
        managementApiIndicator: `${service.url}/acme/api`,
        managementApiIndicatorAliases: [],
        machine: { clientId: expect.any(String), clientSecret: expect.any(String) },
      },
    ]);
    expect((await getJson(`${service.url}/acme/oidc/.well-known/openid-configuration`)).issuer).toBe(
      `${service.url}/acme/oidc`,
    );
    const { username } = await apiOf(made).must('POST /users', { username: 'wile' });
    expect(username).toBe('wile');
    expect((await service.api.must('GET /users?search=wile')).length).toBe(0);

    const read = await call('GET /tenants/acme');
    expect(read.body).not.toHaveProperty('machine');
    const list = await call('GET /tenants?page_size=1');
    expect(list.body).toEqual([read.body]);
    expect(list.headers.get('total-number')).toBe('2');
    expect(list.headers.get('link')).toContain(`<${service.url}/admin/api/tenants?page_size=1&page=2>; rel="next"`);
  });

  it("refuses the backend's application, and the Management API refuses the operator's", async () => {
    const { machine, operator } = service.credentials;
    const asBackend = await tokenFor(`${service.url}/admin/api`, 'tenants', machine);
    expect((await call('GET /tenants', undefined, asBackend)).body.code).toBe('auth.forbidden');
    const asOperator = await tokenFor(`${service.url}/api`, 'all', operator);
    const refused = await fetch(`${service.url}/api/users`, { headers: { authorization: `Bearer ${asOperator}` } });
    expect(refused.status).toBe(403);
  });

  it('requires a machine-to-machine application of the default tenant with the scope', async () => {
    expect((await call('GET /tenants', undefined, 'nonsense')).status).toBe(401);
    expect((await call('GET /tenants', undefined, await service.api.token())).status).toBe(401);
    expect((await call('GET /tenants', undefined, token, `${service.url}/acme`)).body.code).toBe('request.not_found');
    const { id } = await service.api.must('POST /roles', { name: 'x', description: 'x', type: 'User' });
    const given = await service.api.call(`POST /roles/${id}/scopes`, { scopeIds: ['admin-api-tenants'] });
    expect(given.body.code).toBe('role.management_api_scopes_not_assignable_to_user_role');
    const removed = await service.api.call('DELETE /resources/admin-api');
    expect(removed.body.code).toBe('resource.cannot_delete_management_api');
    const cast = castOf(service);
    const exchanged = await cast.spa.exchange({
      subject_token: await cast.mint(),
      resource: `${service.url}/admin/api`,
      scope: 'tenants',
    });
    expect(exchanged.body.error).toBe('invalid_target');
  });

  it('requires endpoints that are absolute, plain and not in use', async () => {
    for (const endpoint of [
      'acme',
      'ftp://a.example',
      'https://a.example?x',
      'https://a.example/#f',
      'https://u:p@a.example',
      'https://a.example/api',
    ])
      expect((await make('bad', [endpoint])).body.code, endpoint).toBe('guard.invalid_input');
    expect((await make('bad', ['https://a.example', 'http://a.example/'])).body.code).toBe('guard.invalid_input');
    const normal = await make('plain', ['HTTPS://Plain.Example:443/a/../b/']);
    expect(normal.body.endpoints).toEqual(['https://plain.example/b']);
    for (const taken of ['https://plain.example/b', 'http://PLAIN.example/b/', `${service.url}/acme/`])
      expect(await make('late', [taken])).toMatchObject({
        status: 422,
        body: { code: 'entity.unique_integrity_violation' },
      });
    expect((await make('acme', ['https://other.example'])).status).toBe(422);
    const twins = await Promise.all([make('t1', ['https://t.example']), make('t2', ['https://t.example'])]);
    expect(twins.map(({ status }) => status).toSorted()).toEqual([201, 422]);
  });

  it('finds the tenant by the longest endpoint, and responds 421 to an unknown host', async () => {
    await make('deep', [`${service.url}/acme/deep`]);
    const issuerAt = async (path: string) =>
      (await getJson(`${service.url}${path}/oidc/.well-known/openid-configuration`)).issuer;
    expect(await issuerAt('/acme/deep')).toBe(`${service.url}/acme/deep/oidc`);
    expect(await issuerAt('/acme')).toBe(`${service.url}/acme/oidc`);
    expect(await issuerAt('')).toBe(`${service.url}/oidc`);
    const unknownHost = await fetch(`${service.url.replace('localhost', '127.0.0.1')}/api/users`);
    expect([unknownHost.status, ((await unknownHost.json()) as { code: string }).code]).toEqual([
      421,
      'request.unknown_host',
    ]);
  });

  it('suspends, reactivates, renames and moves a tenant', async () => {
    const { body } = await call('PATCH /tenants/acme', { isSuspended: true, name: 'Acme' });
    expect(body).toMatchObject({ isSuspended: true, name: 'Acme' });
    for (const path of ['/oidc/jwks', '/oidc/token', '/api/users', '/api/openapi.json', '/account', '/'])
      expect([path, (await getJson(`${service.url}/acme${path}`)).code]).toEqual([path, 'tenant.suspended']);
    expect((await fetch(`${service.url}/acme/oidc/jwks`)).status).toBe(403);
    expect((await fetch(`${service.url}/acme/deep/oidc/jwks`)).status).toBe(200);

    await call('PATCH /tenants/acme', {
      isSuspended: false,
      endpoints: [`${service.url}/acme2`, `${service.url}/acme`],
    });
    for (const path of ['/acme', '/acme2']) {
      const document = await getJson(`${service.url}${path}/oidc/.well-known/openid-configuration`);
      expect(document).toMatchObject({
        issuer: `${service.url}/acme2/oidc`,
        jwks_uri: `${service.url}/acme2/oidc/jwks`,
      });
    }
    expect((await call('PATCH /tenants/nobody', { name: 'x' })).body.code).toBe('entity.not_exists');
    expect((await call('PATCH /tenants/acme', {})).body.code).toBe('entity.invalid_input');
    for (const refused of [call('PATCH /tenants/default', { isSuspended: true }), call('DELETE /tenants/default')])
      expect((await refused).body.code).toBe('tenant.is_default');
  });

  it('deletes a tenant: unreachable immediately, then removed row by row', async () => {
    const doomed = await make('doomed');
    const store = new TenantStore(database, 'doomed');
    await apiOf(doomed).must('POST /users', { username: 'last' });
    const row = { key: 'x', result: 'Success', payload: {}, createdAt: 1 } as const;
    await store.add(
      'auditLog',
      Array.from({ length: 2_500 }, () => ({ id: newId(), ...row })),
    );

    await withinOneMinute(); // Otherwise the service's own job would also remove the rows.
    expect((await call('DELETE /tenants/doomed')).status).toBe(202);
    // The path now belongs to the default tenant.
    expect((await fetch(`${service.url}/doomed/oidc/jwks`)).status).toBe(404);
    for (const gone of ['GET', 'DELETE']) expect((await call(`${gone} /tenants/doomed`)).status).toBe(404);
    // The id stays in use until the rows are removed.
    expect((await make('doomed', ['https://new.example'])).status).toBe(422);

    // An interrupted removal: some tables are already empty, the tenant still exists.
    await database.write((db) => db('userIdentities').where({ tenantId: 'doomed' }).delete());
    await Promise.all([removeDeletedTenants(database), removeDeletedTenants(database)]);
    for (const table of tenantTables)
      expect([table, await database.reader(table).where({ tenantId: 'doomed' }).first('tenantId')]).toEqual([
        table,
        undefined,
      ]);
    expect(await database.reader('tenants').where({ id: 'doomed' }).first('id')).toBeUndefined();
    expect((await make('doomed', ['https://new.example'])).status).toBe(201);
  });

  it("is recorded in the default tenant's audit log, and has its own OpenAPI document", async () => {
    const logs = await service.api.must('GET /logs?logKey=Management.DELETE%20/tenants/:id');
    expect(logs).toContainEqual(
      expect.objectContaining({
        payload: expect.objectContaining({ result: 'Success', details: { params: { id: 'doomed' }, status: 202 } }),
      }),
    );
    const made = JSON.stringify(await service.api.must('GET /logs?logKey=Management.POST%20/tenants&page_size=100'));
    expect(made).toContain('/acme');
    expect(made).not.toMatch(/secret/i);
    const document = await getJson(`${service.url}/admin/api/openapi.json`);
    expect(document.info.title).toBe('Understudy Operator API');
    expect(Object.keys(document.paths)).toEqual(['/tenants', '/tenants/{id}']);
  });
});
