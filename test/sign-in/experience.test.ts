import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { experience } from './experience.ts';
import { Mailbox } from './mailbox.ts';

const GOOD = 'violet harbour ninety';

describe.each(databases)('the Experience API on %s', (kind) => {
  it('signs in, with a second factor if the account has one', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const { call, submit } = await experience(service);
    const identifier = { type: 'username', value: actor.username };
    expect(await call('POST /submit')).toMatchObject({ status: 422, body: { code: 'session.identifier_required' } });
    expect(await call('POST /verification/password', { identifier, password: 'not it' })).toMatchObject({
      status: 422,
      body: { code: 'session.invalid_credentials' },
    });
    const { body } = await call('POST /verification/password', { identifier, password: actor.password });
    expect((await call('POST /identification', body)).status).toBe(204);

    const secret = (await call('POST /verification/totp/secret')).body;
    const code = (at = Date.now()) =>
      new TOTP({ secret: Secret.fromBase32(secret.secret) }).generate({ timestamp: at });
    const { verificationId } = secret;
    expect(await call('POST /verification/totp/verify', { verificationId, code: code() })).toMatchObject({
      status: 200,
    });
    expect((await call('POST /profile/mfa', { type: 'Totp', verificationId })).status).toBe(204);
    expect((await submit()).claims).toMatchObject({ sub: actor.id });

    const again = await experience(service);
    const proof = (await again.call('POST /verification/password', { identifier, password: actor.password })).body;
    await again.call('POST /identification', proof);
    expect(await again.submit()).toMatchObject({ status: 422, body: { code: 'session.mfa_required' } });
    await again.call('POST /verification/totp/verify', { code: code(Date.now() + 30_000) });
    expect((await again.submit()).claims).toMatchObject({ sub: actor.id });
  });

  it('registers by a mailed code and resets a password', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    await using receiver = await WebhookReceiver.start();
    const hook = { name: 'people', events: ['PostRegister', 'PostResetPassword'], config: { url: receiver.url } };
    await service.api.must('POST /hooks', hook);
    const identifier = { type: 'email', value: 'Lena@example.com' };
    const { call, submit } = await experience(service);
    expect((await call('PUT /', { interactionEvent: 'Register' })).status).toBe(204);
    const { verificationId } = (await call('POST /verification/verification-code', { identifier })).body;
    expect((await call('POST /identification', { verificationId })).status).toBe(422);
    await call('POST /verification/verification-code/verify', { verificationId, code: await mailbox.code() });
    expect((await call('POST /identification', { verificationId })).status).toBe(204);
    expect(await submit()).toMatchObject({ status: 422, body: { code: 'session.missing_profile' } });
    expect((await call('PUT /profile/password', { password: GOOD })).status).toBe(204);
    const { claims } = await submit();
    expect(await service.api.must(`GET /users/${claims?.sub}`)).toMatchObject({ primaryEmail: 'lena@example.com' });
    await receiver.next('PostRegister');
  });

  it('requires its cookie and CSRF token, and rejects unknown properties', async () => {
    await using service = await startService(kind);
    const bare = await fetch(`${service.url}/api/experience/interaction`);
    expect(bare.status).toBe(404);
    const { call, visitor } = await experience(service);
    expect(await call('PUT /', { interactionEvent: 'SignIn', more: 1 })).toMatchObject({
      status: 400,
      body: { code: 'guard.invalid_input' },
    });
    const forged = await visitor.send(new URL(`${service.url}/api/experience/`), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ interactionEvent: 'SignIn' }),
    });
    expect(forged.status).toBe(403);
  });
});
