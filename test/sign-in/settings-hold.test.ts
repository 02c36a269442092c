import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import { Mailbox } from './mailbox.ts';
import { PASSWORD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const NEW = 'copper lantern forty';
const email = { type: 'email', value: 'rosa@example.com' };
const rosa = { username: 'rosa', primaryEmail: email.value, password: PASSWORD };
const startOver = { status: 422, body: { code: 'session.identifier_required' } };

describe.each(databases)('the settings of sign-in on %s', (kind) => {
  it('refuse a reset through a channel that they do not allow', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    await service.api.must('POST /users', rosa);
    const methods = [{ identifier: 'username', password: true, verificationCode: false }];
    await service.api.must('PATCH /sign-in-exp', { signIn: { methods } });
    const { call } = await experience(service);
    await call('PUT /', { interactionEvent: 'ForgotPassword' });
    expect(await call('POST /verification/verification-code', { identifier: email })).toMatchObject({
      status: 422,
      body: { code: 'session.not_allowed' },
    });
    expect(mailbox.mails).toEqual([]);
  });

  it('refuse to register identifiers that they do not ask for, and accept those that they require', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    const signUp = { identifiers: ['email'], requiredIdentifiers: [], password: true };
    await service.api.must('PATCH /sign-in-exp', { signUp });
    const { call } = await experience(service, { first_screen: 'register' });
    await call('PUT /', { interactionEvent: 'Register' });
    const username = { type: 'username', value: 'mallory' };
    expect((await call('POST /profile', username)).body.code).toBe('session.not_allowed');

    const required = { identifiers: ['username'], requiredIdentifiers: ['email'], password: true };
    await service.api.must('PATCH /sign-in-exp', { signUp: required });
    const asked = await experience(service, { first_screen: 'register' });
    await asked.call('PUT /', { interactionEvent: 'Register' });
    const named = { identifier: username, password: NEW };
    const proof = (await asked.call('POST /verification/new-password-identity', named)).body;
    await asked.call('POST /identification', proof);
    const { verificationId } = (await asked.call('POST /verification/verification-code', { identifier: email })).body;
    await asked.call('POST /verification/verification-code/verify', { verificationId, code: await mailbox.code() });
    expect((await asked.call('POST /profile', { type: 'email', verificationId })).status).toBe(204);
    expect((await asked.submit()).claims).toMatchObject({ email: email.value });
  });

  it('limit how many passwords an anonymous caller can have hashed, and allow none before the account is identified', async () => {
    await using service = await startService(kind);
    const { call } = await experience(service, { first_screen: 'register' });
    await call('PUT /', { interactionEvent: 'Register' });
    expect(await call('PUT /profile/password', { password: NEW })).toMatchObject(startOver);
    const mallory = { identifier: { type: 'username', value: 'mallory' }, password: NEW };
    await call('POST /identification', (await call('POST /verification/new-password-identity', mallory)).body);
    const codes: (string | undefined)[] = [];
    for (let tries = 0; tries < 62; tries += 1)
      codes.push((await call('PUT /profile/password', { password: NEW })).body?.code);
    expect(codes[0]).toBeUndefined();
    expect(codes.at(-1)).toBe('request.rate_limited');
  });

  it('refuse a reset through a method that is switched off', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    await service.api.must('POST /users', rosa);
    const methods = [
      { identifier: 'username', password: true, verificationCode: false },
      { identifier: 'email', password: false, verificationCode: false },
    ];
    await service.api.must('PATCH /sign-in-exp', { signIn: { methods } });
    const { call } = await experience(service);
    await call('PUT /', { interactionEvent: 'ForgotPassword' });
    expect((await call('POST /verification/verification-code', { identifier: email })).body.code).toBe(
      'session.not_allowed',
    );
    expect(mailbox.mails).toEqual([]);
  });

  it('limit how often an anonymous caller can test whether a username is taken', async () => {
    await using service = await startService(kind);
    const { call } = await experience(service);
    const ask = () => call('POST /profile', { type: 'username', value: service.credentials.demo.actor.username });
    expect(await ask()).toMatchObject(startOver);
    await call('PUT /', { interactionEvent: 'Register' });
    const codes = [];
    for (let tries = 0; tries < 32; tries += 1) codes.push((await ask()).body.code);
    expect(codes[0]).toBe('user.username_already_in_use');
    expect(codes.at(-1)).toBe('request.rate_limited');
  });
});

describe.each(databases)('a browser that is signed in on %s', (kind) => {
  it('can sign in as another user', async () => {
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', rosa);
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: actor.username });
    await visitor.submit('password', { password: actor.password });
    const { url, tokensAt } = await authorization(service, { prompt: 'login' });
    await visitor.open(url);
    await visitor.submit('identifier', { identifier: 'rosa' });
    await visitor.submit('password', { password: PASSWORD });
    // oidc-provider first signs the other user out, with a form that a script submits.
    await visitor.submit('session/end/confirm');
    expect((await tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);
  });
});
