import { hash as bcrypt } from '@node-rs/bcrypt';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import type { Mailbox } from './mailbox.ts';
import { makeRosa, reset, startMailedService } from './mailed-service.ts';
import { PASSWORD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const NEW = 'copper lantern forty';
const codeOf = (secret: string, at = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

async function holderOfTotp(service: TestService) {
  const user = await makeRosa(service);
  const { secret } = await service.api.must(`POST /users/${user.id}/mfa-verifications`, { type: 'Totp' });
  return { ...user, secret: secret as string };
}

describe.each(databases)('the steps of a sign-in and of a reset on %s', (kind) => {
  let mailbox: Mailbox;
  let service: TestService;
  beforeAll(async () => {
    const mailed = await startMailedService(kind);
    ({ mailbox, service } = mailed);
    return mailed.close;
  });

  it('accepts no password as the proof of a reset', async () => {
    const { actor } = service.credentials.demo;
    const { call } = await experience(service);
    const right = { identifier: { type: 'username', value: actor.username }, password: actor.password };
    await call('PUT /', { interactionEvent: 'ForgotPassword' });
    expect(await call('POST /verification/password', right)).toMatchObject({
      status: 422,
      body: { code: 'session.not_allowed' },
    });
    expect(await call('PUT /profile/password', { password: NEW })).toMatchObject({
      status: 422,
      body: { code: 'session.identifier_required' },
    });
  });

  it('does not replace a second factor, an address or an identity in a reset', async () => {
    const { id, username, email } = await holderOfTotp(service);
    const factors = await service.api.must(`GET /users/${id}/mfa-verifications`);
    const { call } = await reset(service, mailbox, email);
    const refused = { status: 422, body: { code: 'session.not_allowed' } };
    expect(await call('POST /verification/totp/secret')).toMatchObject(refused);
    expect(await call('POST /verification/backup-code/generate')).toMatchObject(refused);
    expect(await call('POST /verification/web-authn/registration')).toMatchObject(refused);
    expect(await call('POST /profile', { type: 'username', value: 'mallory' })).toMatchObject(refused);
    expect(
      await call('POST /verification/verification-code', { identifier: { type: 'email', value: 'm@example.com' } }),
    ).toMatchObject(refused);
    expect(await call('POST /verification/social/acme/authorization-uri')).toMatchObject(refused);
    expect(await service.api.must(`GET /users/${id}/mfa-verifications`)).toEqual(factors);
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({
      username,
      primaryEmail: email.value,
    });
  });

  it('asks for the second factor of the account before a reset changes the password', async () => {
    const { id, email, secret } = await holderOfTotp(service);
    const missing = { status: 422, body: { code: 'session.mfa_required' } };
    const { call, visitor, uid } = await reset(service, mailbox, email);
    expect(await call('PUT /profile/password', { password: NEW })).toMatchObject(missing);
    expect(await call('POST /submit')).toMatchObject(missing);
    await service.api.must(`POST /users/${id}/password/verify`, { password: PASSWORD });

    await call('POST /verification/totp/verify', { code: codeOf(secret) });
    expect((await call('PUT /profile/password', { password: NEW })).status).toBe(204);
    expect((await call('POST /submit')).body).toEqual({ redirectTo: `${service.url}/sign-in/${uid}` });
    await visitor.open(`${service.url}/sign-in/${uid}`);
    expect(visitor.left).toBeDefined(); // Both factors are proven: the new password, and the code of the app.

    const elsewhere = await experience(service);
    const proof = (await elsewhere.call('POST /verification/password', { identifier: email, password: NEW })).body;
    await elsewhere.call('POST /identification', proof);
    expect(await elsewhere.call('POST /submit')).toMatchObject(missing);
  });

  it('ends every session in a reset, including that of the same browser', async () => {
    const { id, email } = await makeRosa(service);
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: email.value });
    await visitor.submit('password', { password: PASSWORD });
    expect(visitor.left).toBeDefined();
    const session = visitor.cookies.filter(({ name }) => name.includes('session'));

    const again = await authorization(service, { prompt: 'login', first_screen: 'reset_password' });
    await visitor.open(again.url);
    await visitor.submit('identifier', { identifier: email.value });
    await visitor.submit('code', { code: await mailbox.code(1, email.value) });
    await visitor.submit('new-password', { password: NEW });
    const stolen = await fetch(`${service.url}/account`, {
      redirect: 'manual',
      headers: { cookie: session.map(({ name, value }) => `${name}=${value}`).join('; ') },
    });
    expect(stolen.headers.get('location')).toContain('/oidc/auth');
    expect((await again.tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);
  });

  it("adds no factor, address or identity in a sign-in before the account's factors are proven", async () => {
    const { id, email, secret } = await holderOfTotp(service);
    const { call, submit, visitor, uid } = await experience(service);
    const proof = (await call('POST /verification/password', { identifier: email, password: PASSWORD })).body;
    await call('POST /identification', proof);
    const missing = { status: 422, body: { code: 'session.mfa_required' } };
    expect(await call('POST /verification/totp/secret')).toMatchObject(missing);
    expect(await call('POST /verification/backup-code/generate')).toMatchObject(missing);
    expect(await call('POST /verification/web-authn/registration')).toMatchObject(missing);
    expect(await call('POST /profile', { type: 'username', value: 'mallory' })).toMatchObject(missing);
    const other = { identifier: { type: 'email', value: 'm@example.com' } };
    expect(await call('POST /verification/verification-code', other)).toMatchObject(missing);
    // The forms of the pages run the same actions.
    const page = await visitor.open(`${service.url}/sign-in/${uid}`);
    const { fields, action } = visitor.form('mfa/totp');
    for (const step of ['enrol/totp', 'enrol/backup', 'enrol/passkey']) {
      const form = { ...fields, code: '000000', response: '{}' };
      const sent = await visitor.send(new URL(action.href.replace('mfa/totp', step)), {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      expect(sent.status).toBe(422);
    }
    expect(page.status).toBe(200);
    expect(await service.api.must(`GET /users/${id}/mfa-verifications`)).toHaveLength(1);

    await call('POST /verification/totp/verify', { code: codeOf(secret) });
    // Existing factors are not replaced, and existing columns are not overwritten.
    const { verificationId, secret: fresh } = (await call('POST /verification/totp/secret')).body;
    await call('POST /verification/totp/verify', { verificationId, code: codeOf(fresh) });
    expect(await call('POST /profile/mfa', { type: 'Totp', verificationId })).toMatchObject({
      status: 422,
      body: { code: 'factor.already_held' },
    });
    expect(await call('POST /profile', { type: 'username', value: 'mallory' })).toMatchObject({
      status: 422,
      body: { code: 'session.not_allowed' },
    });
    expect((await submit()).claims?.sub).toBe(id);
  });

  it('does not write the rehashed password of one account to another', async () => {
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    const passwordDigest = await bcrypt(NEW, 10);
    await service.api.must('POST /users', { username: 'mine', passwordDigest, passwordAlgorithm: 'Bcrypt' });
    const { id, email } = await makeRosa(service);
    await service.api.must('PATCH /sign-in-exp', {
      signIn: {
        methods: [
          { identifier: 'username', password: true, verificationCode: false },
          { identifier: 'email', password: true, verificationCode: true },
        ],
      },
    });
    const { call, submit } = await experience(service);
    const mine = { identifier: { type: 'username', value: 'mine' }, password: NEW };
    expect((await call('POST /verification/password', mine)).status).toBe(200);
    const { verificationId } = (await call('POST /verification/verification-code', { identifier: email })).body;
    const code = await mailbox.code(1, email.value);
    await call('POST /verification/verification-code/verify', { verificationId, code });
    await call('POST /identification', { verificationId });
    expect((await submit()).claims?.sub).toBe(id);
    await service.api.must(`POST /users/${id}/password/verify`, { password: PASSWORD });
  });

  it('accepts the code that set up an authenticator app only once', async () => {
    const { actor } = service.credentials.demo;
    const right = { identifier: { type: 'username', value: actor.username }, password: actor.password };
    const first = await experience(service);
    await first.call('POST /identification', (await first.call('POST /verification/password', right)).body);
    const { verificationId, secret } = (await first.call('POST /verification/totp/secret')).body;
    const code = codeOf(secret);
    await first.call('POST /verification/totp/verify', { verificationId, code });
    await first.call('POST /profile/mfa', { type: 'Totp', verificationId });
    expect((await first.submit()).claims?.sub).toBe(actor.id);
    const second = await experience(service);
    await second.call('POST /identification', (await second.call('POST /verification/password', right)).body);
    expect(await second.call('POST /verification/totp/verify', { code })).toMatchObject({
      status: 422,
      body: { code: 'factor.invalid_code' },
    });
  });
});
