import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';
import { SCRIPT } from '../support/world.ts';

const PATH = '/configs/jwt-customizer';

describe.each(databases)('claims scripts on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());
  const call = (route: string, body?: unknown) => stage.api.call(route, body);
  const returning = (text: string) => `const getCustomJwtClaims = async () => (${text});`;

  it('are uploaded, read, updated and deactivated', async () => {
    const path = `${PATH}/access-token`;
    expect(await call(`GET ${path}`)).toMatchObject({ status: 404, body: { code: 'entity.not_exists_with_id' } });
    expect(await call(`PATCH ${path}`, { script: SCRIPT })).toMatchObject({
      status: 404,
      body: { code: 'entity.not_exists' },
    });
    const value = { script: SCRIPT, environmentVariables: { KEY: 'sesame' }, contextSample: { user: {} } };
    const complete = { ...value, blockIssuanceOnError: true, recordInputs: false };
    expect(await call(`PUT ${path}`, value)).toMatchObject({ status: 201, body: complete });
    expect(await call(`PUT ${path}`, value)).toMatchObject({ status: 200 });
    const patched = await call(`PATCH ${path}`, { script: returning('{}'), blockIssuanceOnError: false });
    expect(patched).toMatchObject({
      status: 200,
      body: { environmentVariables: { KEY: 'sesame' }, blockIssuanceOnError: false },
    });
    expect(await call(`PATCH ${path}`, { blockIssuanceOnError: true })).toMatchObject({ status: 400 });
    const keys = (await stage.api.must(`GET ${PATH}`)).map(({ key }: { key: string }) => key);
    expect(keys).toEqual(['jwt.accessToken', 'jwt.clientCredentials']);
    expect(await call(`DELETE ${path}`)).toMatchObject({ status: 204 });
    expect(await call(`DELETE ${path}`)).toMatchObject({ status: 404, body: { code: 'entity.not_found' } });
    expect(await stage.api.must(`GET ${path}/versions`)).toHaveLength(3);
    expect(await call(`GET ${PATH}/id-token`)).toMatchObject({ status: 400, body: { code: 'guard.invalid_input' } });
  });

  it('must compile; otherwise the error names line and column', async () => {
    const broken = await call(`PUT ${PATH}/access-token`, {
      script: 'const getCustomJwtClaims = () => {\n  return {;\n};',
    });
    expect(broken).toMatchObject({
      status: 422,
      body: { code: 'jwt_customizer.general', data: { line: 2, column: expect.any(Number) } },
    });
    expect(await call(`PUT ${PATH}/access-token`, { script: 'const other = 1;' })).toMatchObject({
      status: 422,
      body: { code: 'jwt_customizer.general' },
    });
    expect(await call(`PUT ${PATH}/access-token`, { script: `${SCRIPT}//${'é'.repeat(40_000)}` })).toMatchObject({
      status: 400,
    });
    const environmentVariables = { BIG: 'x'.repeat(33_000) };
    expect(await call(`PUT ${PATH}/access-token`, { script: SCRIPT, environmentVariables })).toMatchObject({
      status: 400,
    });
  });

  it('can be tested without being active', async () => {
    const test = (script: string, overrides: object = { token: {}, context: {} }) =>
      call(`POST ${PATH}/test`, { tokenType: 'access-token', script, ...overrides });
    const echo =
      'const getCustomJwtClaims = ({ token, context, environmentVariables }) => ({ token, context, environmentVariables });';
    const given = { token: { jti: 'j' }, context: { user: { id: 'u' } }, environmentVariables: { A: 'b' } };
    expect(await test(echo, given)).toMatchObject({ status: 200, body: given });
    expect(await test('const getCustomJwtClaims = ({ api }) => api.denyAccess("closed today");')).toMatchObject({
      status: 403,
      body: { code: 'jwt_customizer.general', message: expect.stringContaining('closed today') },
    });
    expect(await test('const getCustomJwtClaims = () => { throw new Error("broken"); };')).toMatchObject({
      status: 422,
      body: { data: { message: expect.stringContaining('broken'), error: 'thrown' } },
    });
    expect(await test('const getCustomJwtClaims = () => { for (;;); };')).toMatchObject({
      status: 422,
      body: { data: { error: expect.stringMatching(/timeout|killed/) } },
    });
    expect(await test(SCRIPT, {})).toMatchObject({ status: 400 });
    expect(await test(SCRIPT, { runId: 'z'.repeat(21) })).toMatchObject({ status: 404 });
    expect(await call(`GET ${PATH}/access-token`)).toMatchObject({ status: 404 });
  });

  it('can be tested with all details of the run, and checked without running', async () => {
    const trial = (script: string) =>
      stage.api.must(`POST ${PATH}/trial`, {
        tokenType: 'access-token',
        script,
        token: { accountId: 'u' },
        context: {},
      });
    const facts = { wallMs: expect.any(Number), cpuMs: expect.any(Number), message: null };
    expect(
      await trial('const getCustomJwtClaims = () => { console.log("hi"); return { sub: "mallory", plan: "gold" }; };'),
    ).toEqual({
      ...facts,
      result: 'ok',
      console: [{ level: 'log', text: 'hi' }],
      droppedClaims: ['sub'],
      token: { plan: 'gold', iss: `${stage.service.url}/oidc`, sub: 'u', scope: '' },
    });
    expect(await trial('const getCustomJwtClaims = ({ api }) => api.denyAccess("closed");')).toMatchObject({
      result: 'denied',
      message: 'closed',
      token: null,
    });
    expect(await stage.api.must(`POST ${PATH}/check`, { script: SCRIPT })).toEqual({ fault: null });
    const { fault } = await stage.api.must(`POST ${PATH}/check`, { script: `${SCRIPT}\n}` });
    expect(fault).toMatchObject({ message: expect.stringContaining('SyntaxError'), line: expect.any(Number) });
    // Audit entries are written in order. Once the later call has an entry, the earlier one would have one too.
    const entries = (key: string) =>
      stage.api.must(`GET /logs?${new URLSearchParams({ logKey: `Management.${key}` })}`);
    await stage.api.call('DELETE /roles/nobody');
    await expect.poll(() => entries('DELETE /roles/:id')).not.toEqual([]);
    expect(await entries(`POST ${PATH}/check`)).toEqual([]);
  });

  it('keep every version, and can return to one', async () => {
    const path = `${PATH}/client-credentials`;
    await stage.api.must(`PUT ${path}`, { script: returning('{ plan: "silver" }'), environmentVariables: { A: '1' } });
    const versions = await stage.api.must(`GET ${path}/versions`);
    expect(versions).toMatchObject([
      {
        number: 2,
        active: true,
        authorId: stage.service.credentials.machine.clientId,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { number: 1, active: false },
    ]);
    expect(await stage.api.must(`GET ${path}/versions/1`)).toMatchObject({
      number: 1,
      active: false,
      value: { script: SCRIPT },
    });
    expect(await stage.api.must(`POST ${path}/versions/1/activate`)).toMatchObject({ script: SCRIPT });
    expect(await stage.api.must(`GET ${path}`)).not.toHaveProperty('environmentVariables');
    expect(await call(`POST ${path}/versions/9/activate`)).toMatchObject({ status: 404 });
    expect(await call(`GET ${path}/versions/x`)).toMatchObject({ status: 400 });
    expect(await stage.api.must(`GET ${path}/runs?result=ok`)).toMatchObject([{ version: 1, result: 'ok' }]);
    expect(await stage.api.must(`GET ${path}/runs?since=4000000000000`)).toEqual([]);
    expect(await stage.api.must(`GET ${path}/runs?until=4000000000000&version=1&inputRecorded=false`)).toHaveLength(1);
    for (const none of ['until=1', 'version=2', 'inputRecorded=true'])
      expect(await stage.api.must(`GET ${path}/runs?${none}`)).toEqual([]);
    const [run] = await stage.api.must(`GET ${path}/runs`);
    expect(await stage.api.must(`GET ${path}/runs/${run.id}`)).toEqual(run);
    expect(await call(`GET ${PATH}/access-token/runs/${run.id}`)).toMatchObject({ status: 404 });
  });

  it('have type declarations for their authors', async () => {
    const types = await call(`GET ${PATH}/types`);
    expect(types.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(types.body).toContain('subjectTokenContext');
  });
});
