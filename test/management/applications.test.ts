import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { postForm } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';

describe.each(databases)('applications on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());
  const call = (route: string, body?: unknown) => stage.api.call(route, body);
  const create = (overrides: object) => call('POST /applications', { name: 'App', type: 'SPA', ...overrides });

  it.each([
    'relative/path',
    'https://app.example/#fragment',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pass@app.example/',
    'http://app.example/callback',
    'http://192.168.1.10/callback',
    'http://localhost.evil.example/callback',
    'https:\\\\evil.example\\callback',
    'https://app.example\\@evil.example/callback',
  ])('refuse the redirect URI %s', async (uri) => {
    expect(await create({ oidcClientMetadata: { redirectUris: ['https://app.example/ok', uri] } })).toMatchObject({
      status: 400,
      body: {
        code: 'guard.invalid_input',
        details: expect.stringContaining('body.oidcClientMetadata.redirectUris[1]'),
      },
    });
  });

  it('can use a private-use URI scheme as an SPA in an app shell, but not on a server', async () => {
    const uris = (...redirectUris: string[]) => ({ oidcClientMetadata: { redirectUris } });
    const { body } = await create(
      uris('capacitor://localhost/cb', 'http://localhost:5173/cb', 'https://app.example/cb'),
    );
    const page = await fetch(
      `${stage.service.url}/oidc/auth?client_id=${body.id}&response_type=code&scope=openid&code_challenge_method=S256` +
        `&code_challenge=${'a'.repeat(43)}&redirect_uri=${encodeURIComponent('capacitor://localhost/cb')}`,
      { redirect: 'manual' },
    );
    expect([page.status, page.headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in/')]);

    const invalid = (details: string) => ({ status: 400, body: { details: expect.stringContaining(details) } });
    expect(await create({ type: 'Traditional', ...uris('com.example.app://callback') })).toMatchObject(
      invalid('body.oidcClientMetadata.redirectUris[0]: must use https or http'),
    );
    expect(await create(uris('capacitor://localhost/cb', 'https://localhost/cb'))).toMatchObject(
      invalid('body.oidcClientMetadata.redirectUris[1]'),
    );
    const mixed = { oidcClientMetadata: { postLogoutRedirectUris: ['https://localhost/out'] } };
    expect(await call(`PATCH /applications/${body.id}`, mixed)).toMatchObject(
      invalid('body.oidcClientMetadata.postLogoutRedirectUris[0]'),
    );
  });

  it('can use a private-use URI scheme if native, and have origins for CORS', async () => {
    const redirectUris = ['com.example.app://callback', 'http://127.0.0.1/cb', 'http://[::1]:4400/cb'];
    expect(await create({ type: 'Native', oidcClientMetadata: { redirectUris } })).toMatchObject({
      status: 200,
      body: { oidcClientMetadata: { redirectUris, postLogoutRedirectUris: [] }, isThirdParty: false },
    });
    const origins = (corsAllowedOrigins: string[]) => create({ customClientMetadata: { corsAllowedOrigins } });
    expect(await origins(['https://app.example'])).toMatchObject({ status: 200 });
    expect(await origins(['https://app.example/path'])).toMatchObject({ status: 400 });
  });

  it('can only turn PKCE off if the type is Traditional', async () => {
    const withoutPkce = (type: string) => create({ type, customClientMetadata: { requirePkce: false } });
    expect(await withoutPkce('Traditional')).toMatchObject({
      status: 200,
      body: { customClientMetadata: { requirePkce: false } },
    });
    for (const type of ['SPA', 'Native'])
      expect(await withoutPkce(type)).toMatchObject({
        status: 400,
        body: { details: expect.stringContaining('body.customClientMetadata.requirePkce') },
      });
    const { body } = await create({});
    const change = { customClientMetadata: { requirePkce: false } };
    expect(await call(`PATCH /applications/${body.id}`, change)).toMatchObject({ status: 400 });
  });

  it('merge their metadata when they are updated', async () => {
    const { body } = await create({
      oidcClientMetadata: { redirectUris: ['https://a.example/cb'] },
      customClientMetadata: { refreshTokenTtlInDays: 7 },
    });
    const change = {
      oidcClientMetadata: { postLogoutRedirectUris: ['https://a.example'] },
      customClientMetadata: { allowTokenExchange: true },
    };
    expect(await call(`PATCH /applications/${body.id}`, change)).toMatchObject({
      status: 200,
      body: {
        oidcClientMetadata: { redirectUris: ['https://a.example/cb'], postLogoutRedirectUris: ['https://a.example'] },
        customClientMetadata: { refreshTokenTtlInDays: 7, allowTokenExchange: true },
      },
    });
  });

  it('cannot use token exchange if they are third-party', async () => {
    const refused = { status: 422, body: { code: 'application.third_party_application_cannot_enable_token_exchange' } };
    const exchange = { customClientMetadata: { allowTokenExchange: true } };
    expect(await create({ isThirdParty: true, ...exchange })).toMatchObject(refused);
    const { body } = await create({ isThirdParty: true });
    expect(await call(`PATCH /applications/${body.id}`, exchange)).toMatchObject(refused);
    expect(await create({ isThirdParty: true, type: 'MachineToMachine' })).toMatchObject({
      status: 400,
      body: { code: 'application.invalid_third_party_application_type' },
    });
  });

  it.each([
    ['Traditional', true],
    ['MachineToMachine', true],
    ['SPA', false],
    ['Native', false],
  ])('of type %s get a client secret if they need one', async (type, needsOne) => {
    const { body } = await create({ type });
    expect(body).not.toHaveProperty('secrets');
    const secrets = await stage.api.must(`GET /applications/${body.id}/secrets`);
    expect(secrets.map(({ name }: { name: string }) => name)).toEqual(needsOne ? ['Default secret'] : []);
    if (type !== 'MachineToMachine') return;
    const token = await postForm(`${stage.service.url}/oidc/token`, {
      grant_type: 'client_credentials',
      client_id: body.id,
      client_secret: secrets[0].value,
      resource: stage.world.indicator,
    });
    expect(token.status).toBe(200);
  });

  it('are listed by type, by third-party, and without those of a role or an organization', async () => {
    const { application, machine, spareMachine, machineRole, organization } = stage.world;
    const { body: party } = await create({ isThirdParty: true });
    const ids = async (query: string): Promise<string[]> =>
      (await stage.api.must(`GET /applications?${query}`)).map(({ id }: { id: string }) => id);
    expect(new Set(await ids('types=SPA&types=Native'))).toEqual(new Set([application, party.id]));
    expect(await ids('types=SPA&isThirdParty=false')).toEqual([application]);
    expect(await ids('isThirdParty=true')).toEqual([party.id]);
    for (const query of [`excludeRoleId=${machineRole}`, `excludeOrganizationId=${organization}`]) {
      const found = await ids(`type=MachineToMachine&${query}`);
      expect(found).toContain(spareMachine);
      expect(found).not.toContain(machine);
    }
    expect(await call('GET /applications?types=SPA&types=Toaster')).toMatchObject({ status: 400 });
    expect(await call('GET /applications?isThirdParty=perhaps')).toMatchObject({ status: 400 });
  });

  it('merge their custom data', async () => {
    const { application } = stage.world;
    await stage.api.must(`PATCH /applications/${application}`, { customData: { floor: 1, desk: 3 } });
    const path = `PATCH /applications/${application}/custom-data`;
    expect(await stage.api.must(path, { desk: 4 })).toEqual({ floor: 1, desk: 4 });
    expect(await call('PATCH /applications/nothing/custom-data', {})).toMatchObject({ status: 404 });
  });

  it('list their organizations with their roles in each', async () => {
    const { machine, spareMachine, organization, machineOrganizationRole } = stage.world;
    expect(await stage.api.must(`GET /applications/${machine}/organizations`)).toMatchObject([
      { id: organization, name: 'Acme', organizationRoles: [{ id: machineOrganizationRole, name: 'Robot' }] },
    ]);
    expect(await stage.api.must(`GET /applications/${spareMachine}/organizations`)).toEqual([]);
  });

  it('authenticate with any client secret until it is deleted', async () => {
    const { machine, application, indicator } = stage.world;
    const path = `/applications/${machine}/secrets`;
    const { name, value } = await stage.api.must(`POST ${path}`, { name: 'second' });
    expect(value).toMatch(/^[0-9A-Za-z]{32}$/);
    const token = () =>
      postForm(`${stage.service.url}/oidc/token`, {
        grant_type: 'client_credentials',
        client_id: machine,
        client_secret: value,
        resource: indicator,
      });
    expect(await token()).toMatchObject({ status: 200 });
    const renamed = await stage.api.must(`PATCH ${path}/${name}`, { name: 'renamed/with slash' });
    expect(renamed.value).toBe(value);
    expect(await token()).toMatchObject({ status: 200 });
    expect((await stage.api.must(`GET ${path}`)).map(({ name }: { name: string }) => name)).toContain(
      'renamed/with slash',
    );
    await stage.api.must(`DELETE ${path}/${encodeURIComponent('renamed/with slash')}`);
    expect(await token()).toMatchObject({ status: 401, body: { error: 'invalid_client' } });

    expect(await call(`POST ${path}`, { name: 'main' })).toMatchObject({
      status: 422,
      body: { code: 'application.secret_name_exists' },
    });
    expect(await call(`POST ${path}`, { name: 'late', expiresAt: 1 })).toMatchObject({ status: 400 });
    expect(await call(`POST /applications/${application}/secrets`, { name: 'x' })).toMatchObject({
      status: 422,
      body: { code: 'application.secret_not_supported' },
    });
  });

  it('have only machine-to-machine roles, each once', async () => {
    const { machine, application, machineRole, spareMachineRole, role } = stage.world;
    const path = `/applications/${machine}/roles`;
    const roleIds = [machineRole, spareMachineRole, spareMachineRole];
    expect(await call(`POST ${path}`, { roleIds })).toMatchObject({
      status: 201,
      body: { roleIds: [machineRole, spareMachineRole], addedRoleIds: [spareMachineRole] },
    });
    expect(await call(`POST ${path}`, { roleIds: [role] })).toMatchObject({
      status: 422,
      body: { code: 'application.invalid_role_type' },
    });
    expect(await call(`POST /applications/${application}/roles`, { roleIds: [machineRole] })).toMatchObject({
      body: { code: 'application.invalid_role_type' },
    });
    expect(await call(`PUT ${path}`, { roleIds: [spareMachineRole] })).toMatchObject({ status: 200 });
    expect(await stage.api.must(`GET ${path}`)).toMatchObject([{ id: spareMachineRole }]);
  });

  it('lose access to the Management API as soon as they lose its scope, which the error names', async () => {
    const { clientId } = stage.service.credentials.machine;
    const [{ id }] = await stage.api.must(`GET /applications/${clientId}/roles`);
    expect(await call(`DELETE /applications/${clientId}/roles/${id}`)).toMatchObject({ status: 204 });
    const refused = await call('GET /roles');
    expect(refused).toMatchObject({ status: 403, body: { code: 'auth.forbidden', data: { scope: 'all' } } });
    expect(refused.body.message).toContain('the scope all');
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope", scope="all", /);
  });
});
