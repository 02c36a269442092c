import { beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import type { TestService } from '../support/start-service.ts';
import type { Mailbox } from './mailbox.ts';
import { makeRosa, reset, startMailedService } from './mailed-service.ts';

const NEW = 'copper lantern forty';

describe.each(databases)('the sign-in after a reset on %s', (kind) => {
  let mailbox: Mailbox;
  let service: TestService;
  beforeAll(async () => {
    const mailed = await startMailedService(kind);
    ({ mailbox, service } = mailed);
    return mailed.close;
  });

  it('begins only after the Experience API is left, and asks for everything that the tenant requires', async () => {
    const { id, email } = await makeRosa(service);
    const { mfa } = await service.api.must('GET /sign-in-exp');
    await service.api.must('PATCH /sign-in-exp', { mfa: { ...mfa, policy: 'Mandatory' } });
    const { call, visitor, uid } = await reset(service, mailbox, email);
    await call('PUT /profile/password', { password: NEW });
    const toPages = { status: 200, body: { redirectTo: `${service.url}/sign-in/${uid}` } };
    expect(await call('POST /submit')).toEqual(toPages);
    expect(visitor.cookies.some(({ name }) => name.endsWith('_known'))).toBe(false);
    expect(await call('POST /submit')).toMatchObject({ status: 422, body: { code: 'session.mfa_enrolment_required' } });
    expect((await visitor.open(`${service.url}/sign-in/${uid}`)).text).toContain('Protect your account');
    expect(visitor.left).toBeUndefined();
    expect((await service.api.must(`GET /users/${id}`)).lastSignInAt).toBeNull();
    await service.api.must('PATCH /sign-in-exp', { mfa });
  });

  it('is a new one if the proven address cannot sign in with a password', async () => {
    const { email, username } = await makeRosa(service);
    const { signIn } = await service.api.must('GET /sign-in-exp');
    const methods = [
      { identifier: 'username', password: true, verificationCode: false },
      { identifier: 'email', password: false, verificationCode: true },
    ];
    await service.api.must('PATCH /sign-in-exp', { signIn: { methods } });
    const { call, visitor, uid } = await reset(service, mailbox, email);
    await call('PUT /profile/password', { password: NEW });
    await call('POST /submit');
    const page = await visitor.open(`${service.url}/sign-in/${uid}`);
    expect([page.text, visitor.left]).toEqual([expect.stringContaining('Your password has been changed'), undefined]);
    await visitor.submit('identifier', { identifier: username });
    await visitor.submit('password', { password: NEW });
    expect(visitor.left).toBeDefined();
    await service.api.must('PATCH /sign-in-exp', { signIn });
  });

  it('is refused to a user who was suspended in between', async () => {
    const { id, email } = await makeRosa(service);
    const { call, visitor, uid } = await reset(service, mailbox, email);
    await call('PUT /profile/password', { password: NEW });
    await call('POST /submit');
    await service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true });
    await visitor.open(`${service.url}/sign-in/${uid}`);
    expect(visitor.left).toBeUndefined();
  });
});
