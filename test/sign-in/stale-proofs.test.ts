import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import type { Mailbox } from './mailbox.ts';
import { makeRosa, type Rosa, startMailedService } from './mailed-service.ts';
import { PASSWORD } from './stage.ts';
import { Visitor } from './visitor.ts';

const NEW = 'copper lantern forty';
const codeOf = (secret: string, at = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

/** Starts a sign-in and identifies the account by its password, without completing it. */
async function withPassword(service: TestService, identifier: Rosa['email'], password = PASSWORD) {
  const opened = await experience(service);
  const proof = (await opened.call('POST /verification/password', { identifier, password })).body;
  expect((await opened.call('POST /identification', proof)).status).toBe(204);
  return opened;
}

const startOver = { status: 422, body: { code: 'session.identifier_required' } };

describe.each(databases)('a proof of an account that has changed since, on %s', (kind) => {
  let mailbox: Mailbox;
  let service: TestService;
  beforeAll(async () => {
    const mailed = await startMailedService(kind);
    ({ mailbox, service } = mailed);
    return mailed.close;
  });

  it('does not sign in after the password was replaced', async () => {
    const { id, email } = await makeRosa(service);
    const open = await withPassword(service, email);
    const submitted = await withPassword(service, email);
    const { redirectTo } = (await submitted.call('POST /submit')).body;
    await service.api.must(`PATCH /users/${id}/password`, { password: NEW });
    expect(await open.call('POST /submit')).toMatchObject(startOver);
    // Neither returning to a sign-in that was finished before nor starting it again.
    expect((await submitted.visitor.open(redirectTo)).status).toBe(400);
    expect(submitted.visitor.left).toBeUndefined();
    expect((await submitted.call('POST /submit')).status).toBe(404);
  });

  it('is not accepted for a password that was replaced before it identified the account', async () => {
    const { id, email } = await makeRosa(service);
    const { call } = await experience(service);
    const { verificationId } = (await call('POST /verification/password', { identifier: email, password: PASSWORD }))
      .body;
    await service.api.must(`PATCH /users/${id}/password`, { password: NEW });
    expect(await call('POST /identification', { verificationId })).toMatchObject({
      status: 422,
      body: { code: 'session.verification_not_found' },
    });
    expect((await call('POST /submit')).status).toBe(422);
  });

  it('is not accepted for a reset code that was kept until the password had changed', async () => {
    const { id, email } = await makeRosa(service);
    const { call } = await experience(service);
    await call('PUT /', { interactionEvent: 'ForgotPassword' });
    const { verificationId } = (await call('POST /verification/verification-code', { identifier: email })).body;
    await call('POST /verification/verification-code/verify', {
      verificationId,
      code: await mailbox.code(1, email.value),
    });
    await service.api.must(`PATCH /users/${id}/password`, { password: NEW });
    expect((await call('POST /identification', { verificationId })).status).toBe(422);
    expect((await call('PUT /profile/password', { password: 'silver meadow eighty' })).status).toBe(422);
    await service.api.must(`POST /users/${id}/password/verify`, { password: NEW });
  });

  it('does not let a change that was in progress on the account page overwrite a reset', async () => {
    const { id, username } = await makeRosa(service);
    const visitor = new Visitor(service.url);
    await visitor.open('/account');
    await visitor.submit('identifier', { identifier: username });
    await visitor.submit('password', { password: PASSWORD });
    await visitor.open('/account?edit=password');
    const { action, fields } = visitor.form('password');
    const body = new URLSearchParams({ ...fields, current: PASSWORD, password: 'silver meadow eighty' });
    const [, changed] = await Promise.all([
      service.api.must(`PATCH /users/${id}/password`, { password: NEW }),
      visitor.send(action, { method: 'POST', body }),
    ]);
    // In either order the owner's change ended the session, so nothing of that session is written after it.
    expect(changed.status).toBeGreaterThanOrEqual(300);
    await service.api.must(`POST /users/${id}/password/verify`, { password: NEW });
  });

  it('does not enroll a factor in a sign-in that started before a reset', async () => {
    await using service = await startService(kind);
    await service.api.must('PATCH /sign-in-exp', { mfa: { factors: ['Totp'], policy: 'Mandatory' } });
    const { id, email } = await makeRosa(service);
    const { call } = await withPassword(service, email);
    const { verificationId, secret } = (await call('POST /verification/totp/secret')).body;
    await service.api.must(`PATCH /users/${id}/password`, { password: NEW });
    expect((await call('POST /verification/totp/verify', { verificationId, code: codeOf(secret) })).status).toBe(422);
    expect(await call('POST /profile/mfa', { type: 'Totp', verificationId })).toMatchObject(startOver);
    expect(await service.api.must(`GET /users/${id}/mfa-verifications`)).toEqual([]);
  });

  it('does not reset the password by a code for an address that the account no longer has', async () => {
    const { id, email } = await makeRosa(service);
    const { call } = await experience(service);
    await call('PUT /', { interactionEvent: 'ForgotPassword' });
    const { verificationId } = (await call('POST /verification/verification-code', { identifier: email })).body;
    await call('POST /verification/verification-code/verify', {
      verificationId,
      code: await mailbox.code(1, email.value),
    });
    expect((await call('POST /identification', { verificationId })).status).toBe(204);
    await service.api.must(`PATCH /users/${id}`, { primaryEmail: 'new@example.com' });
    expect(await call('PUT /profile/password', { password: NEW })).toMatchObject(startOver);
    await service.api.must(`POST /users/${id}/password/verify`, { password: PASSWORD });
  });

  it('is not accepted for a second factor that was replaced after it was proven', async () => {
    const { id, email } = await makeRosa(service);
    const first = await service.api.must(`POST /users/${id}/mfa-verifications`, { type: 'Totp' });
    const { call } = await withPassword(service, email);
    expect((await call('POST /verification/totp/verify', { code: codeOf(first.secret) })).status).toBe(200);
    await service.api.must(`POST /users/${id}/mfa-verifications`, { type: 'Totp' });
    expect(await call('POST /submit')).toMatchObject(startOver);
  });

  it('does not sign in a user who was suspended between the last step and completion', async () => {
    const { id, email } = await makeRosa(service);
    const { call, visitor } = await withPassword(service, email);
    const { redirectTo } = (await call('POST /submit')).body;
    await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true });
    expect((await visitor.open(redirectTo)).status).toBe(400);
    await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: false });
    expect((await visitor.open(redirectTo)).status).toBe(400);
    expect((await visitor.open('/account')).url.pathname).toMatch(/^\/sign-in\//);
  });

  it('shows a page, and not an error, to a user who is suspended or deleted midway', async () => {
    await using service = await startService(kind);
    const { id, email } = await makeRosa(service);
    await service.api.must('PATCH /sign-in-exp', { mfa: { factors: ['Totp'], policy: 'Mandatory' } });
    for (const end of [
      () => service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true }),
      () => service.api.must(`DELETE /users/${id}`),
    ]) {
      const { visitor, uid } = await withPassword(service, email);
      await end();
      const page = await visitor.open(`/sign-in/${uid}`);
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') });
      if (end.toString().includes('Suspended'))
        await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: false });
    }
  });
});

describe.each(databases)('proofs of two accounts in one sign-in on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('do not count as two factors', async () => {
    const { id, email } = await makeRosa(service);
    const other = await service.api.must('POST /users', { username: 'mallory', password: NEW });
    const { secret } = await service.api.must(`POST /users/${other.id}/mfa-verifications`, { type: 'Totp' });
    const { call, submit } = await withPassword(service, { type: 'username', value: 'mallory' }, NEW);
    expect((await call('POST /verification/totp/verify', { code: codeOf(secret) })).status).toBe(200);
    const proof = (await call('POST /verification/password', { identifier: email, password: PASSWORD })).body;
    await call('POST /identification', proof);
    // A factor that was set up but never bound proves nothing.
    const fresh = (await call('POST /verification/totp/secret')).body;
    const { verificationId } = fresh;
    await call('POST /verification/totp/verify', { verificationId, code: codeOf(fresh.secret) });
    expect((await submit()).claims?.sub).toBe(id);
    const [entry] = await service.api.must('GET /logs?logKey=SignIn.SignIn');
    expect(entry.payload.details.verifications).toEqual(['Password']);
  });

  it('do not write data gathered for the first to the second', async () => {
    const first = await service.api.must('POST /users', { primaryEmail: 'first@example.com', password: PASSWORD });
    const second = await service.api.must('POST /users', { primaryEmail: 'second@example.com', password: NEW });
    const { call, submit } = await withPassword(service, { type: 'email', value: 'first@example.com' });
    expect((await call('POST /profile', { type: 'username', value: 'trudy' })).status).toBe(204);
    const { verificationId, secret } = (await call('POST /verification/totp/secret')).body;
    await call('POST /verification/totp/verify', { verificationId, code: codeOf(secret) });
    expect((await call('POST /profile/mfa', { type: 'Totp', verificationId })).status).toBe(204);
    const identifier = { type: 'email', value: 'second@example.com' };
    const proof = (await call('POST /verification/password', { identifier, password: NEW })).body;
    await call('POST /identification', proof);
    expect((await submit()).claims?.sub).toBe(second.id);
    for (const { id } of [first, second]) {
      expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ username: null });
      expect(await service.api.must(`GET /users/${id}/mfa-verifications`)).toEqual([]);
    }
  });
});
