import { hash } from '@node-rs/bcrypt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';

describe.each(databases)('users on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  afterEach(() => stage.restore());
  const call = (route: string, body?: unknown) => stage.api.call(route, body);

  it('cannot share a username, email address or phone number', async () => {
    expect(await call('POST /users', { primaryEmail: 'CAROL@example.com' })).toMatchObject({
      status: 422,
      body: { code: 'user.email_already_in_use' },
    });
    expect(await call('POST /users', { username: 'carol' })).toMatchObject({
      body: { code: 'user.username_already_in_use' },
    });
    const { id } = await stage.api.must('POST /users', { primaryPhone: '4915112345' });
    expect(await call(`PATCH /users/${stage.world.user}`, { primaryPhone: '4915112345' })).toMatchObject({
      status: 422,
      body: { code: 'user.phone_already_in_use' },
    });
    expect(await call(`PATCH /users/${id}`, { primaryPhone: null })).toMatchObject({
      status: 200,
      body: { primaryPhone: null },
    });
  });

  it('have a password that can be set and verified, but never read', async () => {
    const { user, spareUser } = stage.world;
    const verify = (password: string) => call(`POST /users/${user}/password/verify`, { password });
    expect(await verify('correct horse')).toMatchObject({ status: 204, body: undefined });
    expect(await verify('wrong')).toMatchObject({ status: 422, body: { code: 'session.invalid_credentials' } });
    await stage.api.must(`PATCH /users/${user}/password`, { password: 'staple' });
    expect((await verify('staple')).status).toBe(204);
    expect((await call(`GET /users/${spareUser}/has-password`)).body).toEqual({ hasPassword: false });
    expect(await call(`POST /users/${spareUser}/password/verify`, { password: 'x' })).toMatchObject({ status: 422 });
  });

  it('can be created with a password digest of another system', async () => {
    const passwordDigest = await hash('imported', 4);
    const { id } = await stage.api.must('POST /users', { passwordDigest, passwordAlgorithm: 'Bcrypt' });
    expect((await call(`POST /users/${id}/password/verify`, { password: 'imported' })).status).toBe(204);
    expect(await call('POST /users', { passwordDigest, passwordAlgorithm: 'Argon2id' })).toMatchObject({
      status: 422,
      body: { code: 'password.unsupported_digest' },
    });
    expect(await call('POST /users', { passwordDigest })).toMatchObject({ status: 400 });
    expect(await call('POST /users', { passwordDigest, passwordAlgorithm: 'Bcrypt', password: 'x' })).toMatchObject({
      status: 400,
    });
  });

  it('get the default roles of type User', async () => {
    await stage.api.must('POST /roles', { name: 'Everyone', description: 'All', isDefault: true });
    await stage.api.must('POST /roles', {
      name: 'Robots',
      description: 'All',
      isDefault: true,
      type: 'MachineToMachine',
    });
    const { id } = await stage.api.must('POST /users', { username: 'erin' });
    expect(await stage.api.must(`GET /users/${id}/roles`)).toMatchObject([{ name: 'Everyone' }]);
  });

  it('can only have roles of type User', async () => {
    const { user, role, spareRole, machineRole } = stage.world;
    expect(await call(`POST /users/${user}/roles`, { roleIds: [role, spareRole] })).toMatchObject({
      status: 201,
      body: { roleIds: [role, spareRole], addedRoleIds: [spareRole] },
    });
    expect(await call(`POST /users/${user}/roles`, { roleIds: [machineRole] })).toMatchObject({
      status: 422,
      body: { code: 'user.invalid_role_type' },
    });
    expect(await call(`PUT /users/${user}/roles`, { roleIds: [spareRole] })).toMatchObject({
      status: 200,
      body: { roleIds: [spareRole] },
    });
    expect(await stage.api.must(`GET /users/${user}/roles`)).toMatchObject([{ id: spareRole }]);
    expect((await call(`GET /users?excludeRoleId=${spareRole}`)).body).toHaveLength(1);
    expect(await call(`GET /users?excludeRoleId=${role}&excludeOrganizationId=x`)).toMatchObject({ status: 400 });
  });

  it('cannot share a social identity', async () => {
    const { user, spareUser } = stage.world;
    expect(await call(`POST /users/${spareUser}/identities/google`, { userId: 'g-1' })).toMatchObject({
      status: 422,
      body: { code: 'user.identity_already_in_use' },
    });
    const linked = await call(`POST /users/${user}/identities/github`, { userId: 'h-1', details: { login: 'carol' } });
    expect(linked).toMatchObject({
      status: 201,
      body: { identities: { github: { userId: 'h-1', details: { login: 'carol' } } } },
    });
    await stage.api.must(`DELETE /users/${user}/identities/github`);
    expect(Object.keys((await stage.api.must(`GET /users/${user}`)).identities)).toEqual(['google']);
    expect((await stage.api.must('GET /users?page_size=1&search.id=%25')).at(0)).toHaveProperty('identities');
  });

  it('have custom data that can be read on its own', async () => {
    const { user } = stage.world;
    await stage.api.must(`PATCH /users/${user}/custom-data`, { customData: { level: 3 } });
    expect(await stage.api.must(`GET /users/${user}/custom-data`)).toEqual({ level: 3 });
    expect(await call('GET /users/zzzzzzzzzzzz/custom-data')).toMatchObject({ status: 404 });
  });

  it('return the secret of a new factor once', async () => {
    const { user, factor } = stage.world;
    const made = await call(`POST /users/${user}/mfa-verifications`, { type: 'BackupCode' });
    expect(made.body.codes).toHaveLength(10);
    const again = await call(`POST /users/${user}/mfa-verifications`, { type: 'Totp' });
    expect(again.body).toMatchObject({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      secretUri: expect.stringMatching(/^otpauth:/),
      secretQrCode: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    });
    expect(atob(again.body.secretQrCode.split(',')[1])).toMatch(/^<svg/);
    const listed = await stage.api.must(`GET /users/${user}/mfa-verifications`);
    expect(listed.map(({ id }: { id: string }) => id)).not.toContain(factor);
    expect(listed).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toContain(again.body.secret);
  });
});
