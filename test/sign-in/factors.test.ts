import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { authorization, Visitor } from './visitor.ts';

const EVENTS = ['User.Created', 'PostRegister', 'PostSignIn', 'User.Data.Updated'];

const codeOf = (secret: string, at = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({ timestamp: at });

const secretOn = (html: string): string => /<p class="mono">([A-Z2-7 ]+)<\/p>/.exec(html)?.[1] ?? '';
const backupCodesOn = (html: string): string[] =>
  [...html.matchAll(/<li>([a-z0-9]{5}-[a-z0-9]{5})<\/li>/g)].map(([, code = '']) => code);

async function begin(service: Awaited<ReturnType<typeof startService>>) {
  const { actor } = service.credentials.demo;
  const visitor = new Visitor(service.url);
  const { url, tokensAt } = await authorization(service);
  await visitor.open(url);
  await visitor.submit('identifier', { identifier: actor.username });
  const page = await visitor.submit('password', { password: actor.password });
  return { visitor, page, subject: async () => (await tokensAt(visitor.left as URL)).claims()?.sub };
}

describe.each(databases)('second factors on %s', (kind) => {
  it('are set up where the settings require one, and verified at every later sign-in', async () => {
    await using service = await startService(kind);
    await using receiver = await WebhookReceiver.start();
    await service.api.must('PATCH /sign-in-exp', {
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'], policy: 'Mandatory' },
    });
    await service.api.must('POST /hooks', { name: 'people', events: EVENTS, config: { url: receiver.url } });

    const first = await begin(service);
    expect(first.page.text).toContain('Authenticator app');
    const { html } = await first.visitor.open(`${first.page.url}?factor=Totp`);
    expect(html).toContain('<svg');
    const secret = secretOn(html);
    const reloaded = await first.visitor.open(`${first.page.url}?factor=Totp`);
    expect(secretOn(reloaded.html)).toBe(secret);
    expect(await first.visitor.submit('enrol/totp', { code: '000000' })).toMatchObject({
      status: 422,
      text: expect.stringContaining('This code is wrong'),
    });
    const saved = await first.visitor.submit('enrol/totp', { code: codeOf(secret) });
    const codes = backupCodesOn(saved.html);
    expect(codes).toHaveLength(10);
    await first.visitor.submit('enrol/backup');
    expect(await first.subject()).toBe(service.credentials.demo.actor.id);
    const arrived = await receiver.reach(2);
    expect(arrived.map(({ event }) => event).sort()).toEqual(['PostSignIn', 'User.Data.Updated']);

    const second = await begin(service);
    expect(second.page.text).toContain('Code from the app');
    expect((await second.visitor.submit('mfa/totp', { code: '000000' })).status).toBe(422);
    const code = codeOf(secret, Date.now() + 30_000);
    await second.visitor.submit('mfa/totp', { code });
    expect(await second.subject()).toBe(service.credentials.demo.actor.id);

    // The same code is refused, because it was used. A backup code works once.
    const third = await begin(service);
    expect((await third.visitor.submit('mfa/totp', { code })).status).toBe(422);
    await third.visitor.open(`${third.page.url}?factor=BackupCode`);
    await third.visitor.submit('mfa/backup', { code: codes[0]?.toUpperCase() as string });
    expect(await third.subject()).toBe(service.credentials.demo.actor.id);
    const fourth = await begin(service);
    await fourth.visitor.open(`${fourth.page.url}?factor=BackupCode`);
    expect((await fourth.visitor.submit('mfa/backup', { code: codes[0] as string })).status).toBe(422);
    await receiver.reach(4);
    expect(receiver.arrivals.filter(({ event }) => event === 'PostSignIn')).toHaveLength(3);
    expect(receiver.arrivals.filter(({ event }) => event === 'User.Data.Updated')).toHaveLength(1);
  });

  it('accept a backup code once, also concurrently, and allow ten attempts', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    const { codes } = await service.api.must(`POST /users/${actor.id}/mfa-verifications`, { type: 'BackupCode' });
    await service.api.must(`POST /users/${actor.id}/mfa-verifications`, { type: 'Totp' });
    const rivals = await Promise.all(Array.from({ length: 4 }, () => begin(service)));
    await Promise.all(rivals.map(({ visitor, page }) => visitor.open(`${page.url}?factor=BackupCode`)));
    const answers = await Promise.all(rivals.map(({ visitor }) => visitor.submit('mfa/backup', { code: codes[3] })));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(3);
    expect(rivals.filter(({ visitor }) => visitor.left)).toHaveLength(1);

    const guesser = await begin(service);
    const { action, fields } = guesser.visitor.form('mfa/totp');
    const guess = () =>
      guesser.visitor.send(action, { method: 'POST', body: new URLSearchParams({ ...fields, code: '123456' }) });
    const statuses = (await Promise.all(Array.from({ length: 14 }, guess))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(10);
    expect(statuses).toContain(429);
  });

  it('are added by a registration without an event of their own', async () => {
    await using service = await startService(kind);
    await using receiver = await WebhookReceiver.start();
    await service.api.must('PATCH /sign-in-exp', { mfa: { factors: ['Totp'], policy: 'Mandatory' } });
    await service.api.must('POST /hooks', { name: 'people', events: EVENTS, config: { url: receiver.url } });
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service, { first_screen: 'register' })).url);
    await visitor.submit('identifier', { identifier: 'erin' });
    const { html } = await visitor.submit('new-password', { password: 'violet harbour ninety' });
    expect(receiver.arrivals).toHaveLength(0); // Nothing is written before every step is complete.
    await visitor.submit('enrol/totp', { code: codeOf(secretOn(html)) });
    expect(visitor.left).toBeDefined();
    const arrived = await receiver.reach(2);
    expect(arrived.map(({ event }) => event).sort()).toEqual(['PostRegister', 'User.Created']);
  });
});
