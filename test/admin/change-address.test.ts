import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, getJson, postForm } from '../support/call.ts';
import { childEnvironment } from '../support/compile-cache.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

type Application = { clientId: string; clientSecret: string };

const root = join(import.meta.dirname, '../..');

describe.each(databases)('changing the address of a tenant on %s', (kind) => {
  let service: TestService;
  /** The address before the change, and a second address of the same service that it is changed to. */
  let [before, after] = ['', ''];
  beforeEach(async () => {
    service = await startService(kind, { DEMO: 'false' });
    before = service.url;
    after = before.replace('localhost', '127.0.0.1');
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const requestToken = (endpoint: string, resource: string, scope: string, { clientId, clientSecret }: Application) =>
    postForm(
      `${endpoint}/oidc/token`,
      { grant_type: 'client_credentials', resource, scope },
      { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    );
  const tokenOf = async (...parameters: Parameters<typeof requestToken>): Promise<string> =>
    (await requestToken(...parameters)).body.access_token;
  const call = async (base: string, route: string, bearer: string, body?: unknown): Promise<Answer> => {
    const [method, path] = route.split(' ') as [string, string];
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };
  /** Requests a token and calls the API with it. Returns the status. */
  const statusWith = async (endpoint: string, indicator: string, application: 'machine' | 'operator' = 'machine') => {
    const [scope, path] = application === 'machine' ? ['all', '/api/users'] : ['tenants', '/admin/api/tenants'];
    const bearer = await tokenOf(endpoint, indicator, scope, service.credentials[application]);
    return (await call(endpoint, `GET ${path}`, bearer)).status;
  };
  const operate = async (route: string, body?: unknown) =>
    call(before, route, await tokenOf(before, `${before}/admin/api`, 'tenants', service.credentials.operator), body);
  const issuerAt = async (endpoint: string) =>
    (await getJson(`${endpoint}/oidc/.well-known/openid-configuration`)).issuer;

  it("shows the indicators of a tenant's APIs, the operators' only for the default tenant", async () => {
    const shown = {
      managementApiIndicator: `${before}/api`,
      managementApiIndicatorAliases: [],
      operatorApiIndicator: `${before}/admin/api`,
      operatorApiIndicatorAliases: [],
    };
    expect((await operate('GET /admin/api/tenants/default')).body).toMatchObject(shown);
    expect((await operate('GET /admin/api/tenants')).body).toEqual([expect.objectContaining(shown)]);
    await operate('POST /admin/api/tenants', { id: 'acme', name: 'Acme', endpoints: [`${before}/acme`] });
    const { body } = await operate('GET /admin/api/tenants/acme');
    expect(body).toMatchObject({ managementApiIndicator: `${before}/acme/api`, managementApiIndicatorAliases: [] });
    expect(body).not.toHaveProperty('operatorApiIndicator');
    const refused = await operate('PATCH /admin/api/tenants/acme', { operatorApiIndicator: `${before}/x` });
    expect(refused.body.code).toBe('guard.invalid_input');
  });

  it('keeps serving backends that still use the old address', async () => {
    const moved = await operate('PATCH /admin/api/tenants/default', {
      endpoints: [after, before],
      managementApiIndicator: `${after}/api`,
      operatorApiIndicator: `${after}/admin/api`,
    });
    expect(moved).toMatchObject({
      status: 200,
      body: {
        endpoints: [after, before],
        managementApiIndicator: `${after}/api`,
        managementApiIndicatorAliases: [`${before}/api`],
        operatorApiIndicator: `${after}/admin/api`,
        operatorApiIndicatorAliases: [`${before}/admin/api`],
      },
    });
    for (const endpoint of [before, after]) {
      expect(await issuerAt(endpoint)).toBe(`${after}/oidc`);
      for (const indicator of [before, after]) {
        expect(await statusWith(endpoint, `${indicator}/api`)).toBe(200);
        expect(await statusWith(endpoint, `${indicator}/admin/api`, 'operator')).toBe(200);
      }
    }
    expect((await getJson(`${after}/api/.well-known/oauth-protected-resource`)).resource).toBe(`${after}/api`);
  });

  it('changes the indicator of one tenant immediately and keeps issued tokens valid', async () => {
    const { body: acme } = await operate('POST /admin/api/tenants', {
      id: 'acme',
      name: 'Acme',
      endpoints: [`${before}/acme`],
    });
    const old = await tokenOf(acme.endpoints[0], acme.managementApiIndicator, 'all', acme.machine);
    expect((await requestToken(acme.endpoints[0], 'https://acme.example/api', 'all', acme.machine)).body.error).toBe(
      'invalid_target',
    );
    await operate('PATCH /admin/api/tenants/acme', { managementApiIndicator: 'https://acme.example/api' });
    expect((await call(acme.endpoints[0], 'GET /api/users', old)).status).toBe(200);
    const fresh = await tokenOf(acme.endpoints[0], 'https://acme.example/api', 'all', acme.machine);
    expect((await call(acme.endpoints[0], 'GET /api/users', fresh)).status).toBe(200);

    await operate('PATCH /admin/api/tenants/acme', { managementApiIndicatorAliases: [] });
    expect((await call(acme.endpoints[0], 'GET /api/users', old)).status).toBe(401);
    expect((await requestToken(acme.endpoints[0], acme.managementApiIndicator, 'all', acme.machine)).body.error).toBe(
      'invalid_target',
    );
  });

  it('refuses an indicator of another resource, and a resource whose indicator is an alias', async () => {
    await service.api.must('POST /resources', { name: 'Orders', indicator: 'https://orders.example/api' });
    for (const body of [
      { managementApiIndicator: 'https://orders.example/api' },
      { managementApiIndicatorAliases: ['https://orders.example/api'] },
      { managementApiIndicator: `${before}/admin/api` },
      { managementApiIndicatorAliases: [`${before}/admin/api`] },
    ])
      expect((await operate('PATCH /admin/api/tenants/default', body)).body.code, JSON.stringify(body)).toBe(
        'resource.resource_identifier_in_use',
      );
    for (const indicator of ['orders', 'https://orders.example/#x', 'https://orders.example/ x'])
      expect((await operate('PATCH /admin/api/tenants/default', { managementApiIndicator: indicator })).body.code).toBe(
        'guard.invalid_input',
      );

    await operate('PATCH /admin/api/tenants/default', { managementApiIndicator: 'https://new.example/api' });
    const shadow = { name: 'Shadow', indicator: `${before}/api` };
    expect((await service.api.call('POST /resources', shadow)).body.code).toBe('resource.resource_identifier_in_use');
    const operator = { operatorApiIndicator: `${before}/api` };
    expect((await operate('PATCH /admin/api/tenants/default', operator)).body.code).toBe(
      'resource.resource_identifier_in_use',
    );
    const { body } = await operate('PATCH /admin/api/tenants/default', { managementApiIndicator: `${before}/api` });
    expect(body).toMatchObject({
      managementApiIndicator: `${before}/api`,
      managementApiIndicatorAliases: ['https://new.example/api'],
    });
  });

  it('does not let users access the APIs through an alias', async () => {
    await operate('PATCH /admin/api/tenants/default', { managementApiIndicator: 'https://new.example/api' });
    const user = await service.api.must('POST /users', { username: 'bob' });
    const application = await service.api.must('POST /applications', {
      name: 'SPA',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: [], postLogoutRedirectUris: [] },
      customClientMetadata: { allowTokenExchange: true },
    });
    const { subjectToken } = await service.api.must('POST /subject-tokens', { userId: user.id });
    const { body } = await postForm(`${before}/oidc/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: application.id,
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      resource: `${before}/api`,
      scope: 'all',
    });
    expect(body.error).toBe('invalid_target');
  });

  describe('with the command change-address', () => {
    const run = async (...args: string[]) => {
      const running = promisify(execFile)(process.execPath, ['scripts/cli.ts', 'change-address', ...args], {
        cwd: root,
        env: {
          ...childEnvironment,
          DATA_DIR: service.dataDir,
          PORT: new URL(before).port,
          ...(service.databaseUrl && { DATABASE_URL: service.databaseUrl }),
        },
      });
      const { stdout, stderr, code = 0 } = await running.catch((error) => error);
      return { stdout, stderr, code };
    };
    const credentials = async () => JSON.parse(await readFile(join(service.dataDir, 'credentials.json'), 'utf8'));

    it('changes issuer, links, indicators and credentials.json while the service runs', async () => {
      const result = await run('--to', after);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toContain(`${after}/oidc`);
      await expect.poll(() => issuerAt(after)).toBe(`${after}/oidc`);
      await expect.poll(() => statusWith(after, `${after}/api`)).toBe(200);
      expect(await statusWith(before, `${before}/api`)).toBe(200);
      expect(await statusWith(after, `${after}/admin/api`, 'operator')).toBe(200);
      expect(await credentials()).toMatchObject({
        endpoint: after,
        managementApiIndicator: `${after}/api`,
        machine: service.credentials.machine,
        operator: service.credentials.operator,
      });
      expect((await stat(join(service.dataDir, 'credentials.json'))).mode & 0o777).toBe(0o600);
      const logs = await service.api.must('GET /logs?logKey=Tenant.Address.Change');
      expect(logs).toHaveLength(1);
    });

    it('drops the old address, keeps a custom indicator, and refuses the same input as the API', async () => {
      await operate('PATCH /admin/api/tenants/default', {
        managementApiIndicator: 'urn:example:own',
        managementApiIndicatorAliases: [],
      });
      expect(await run('--to', after, '--drop-old')).toMatchObject({ code: 0 });
      await expect.poll(() => issuerAt(after)).toBe(`${after}/oidc`);
      expect(await credentials()).toMatchObject({ endpoint: after, managementApiIndicator: 'urn:example:own' });
      const token = await tokenOf(after, `${after}/admin/api`, 'tenants', service.credentials.operator);
      expect((await call(after, 'GET /admin/api/tenants/default', token)).body).toMatchObject({
        endpoints: [after],
        managementApiIndicator: 'urn:example:own',
        operatorApiIndicator: `${after}/admin/api`,
        operatorApiIndicatorAliases: [],
      });
      for (const args of [
        ['--to', 'id.example.com'],
        ['--to', `${after}/api`],
        ['--to', after, '--tenant', 'nobody'],
      ]) {
        const { code, stderr } = await run(...args);
        expect([args, code, stderr.trim().split('\n').length]).toEqual([args, 1, 1]);
      }
    });
  });
});
