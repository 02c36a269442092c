import * as oauth from 'openid-client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { databases } from '../support/databases.ts';
import type { TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import type { Mailbox } from './mailbox.ts';
import { startMailedService } from './mailed-service.ts';
import { authorization, Visitor } from './visitor.ts';

const EVENTS = ['User.Created', 'PostRegister', 'PostSignIn', 'User.Data.Updated', 'PostResetPassword'];
const OLD = 'copper lantern forty';
const GOOD = 'violet harbour ninety';

/** Returns a receiver of the events of this test. */
async function listen(service: TestService) {
  const receiver = await WebhookReceiver.start();
  const config = { url: receiver.url };
  const { id } = await service.api.must('POST /hooks', { name: 'people', events: EVENTS, config });
  onTestFinished(async () => void (await service.api.must(`DELETE /hooks/${id}`)));
  return receiver;
}

const seen = (receiver: WebhookReceiver) => receiver.arrivals.map(({ event }) => event).sort();

describe.each(databases)('registration and reset on %s', (kind) => {
  let mailbox: Mailbox;
  let service: TestService;
  beforeAll(async () => {
    const mailed = await startMailedService(kind);
    ({ mailbox, service } = mailed);
    return mailed.close;
  });

  it.each(['constructor', '__proto__', 'unknown'])(
    'shows the sign-in page for the unknown first screen %s',
    async (name) => {
      await using receiver = await listen(service);
      const { actor } = service.credentials.demo;
      const visitor = new Visitor(service.url);
      const { url, tokensAt } = await authorization(service, { first_screen: name });
      await visitor.open(url);
      await visitor.submit('identifier', { identifier: actor.username });
      await visitor.submit('password', { password: actor.password });
      await tokensAt(visitor.left as URL);
      expect(JSON.parse((await receiver.reach(1))[0]?.body as string)).toMatchObject({
        event: 'PostSignIn',
        interactionEvent: 'SignIn',
      });
    },
  );

  it('registers by username and password', async () => {
    await using receiver = await listen(service);
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service, { first_screen: 'register' });
    expect((await visitor.open(url)).text).toContain('Create your');
    const taken = await visitor.submit('identifier', { identifier: service.credentials.demo.actor.username });
    expect(taken).toMatchObject({ status: 422, text: expect.stringContaining('This username is taken') });
    await visitor.submit('identifier', { identifier: 'carol' });
    expect(await visitor.submit('new-password', { password: 'short' })).toMatchObject({ status: 422 });
    expect((await visitor.submit('new-password', { password: 'qwerty123' })).text).toContain('too easy to guess');
    await visitor.submit('new-password', { password: GOOD });

    const tokens = await tokensAt(visitor.left as URL);
    const [created, registered] = (await receiver.reach(2)).map(({ body }) => JSON.parse(body));
    const byName = Object.fromEntries([created, registered].map((payload) => [payload.event, payload]));
    expect(byName['User.Created']).toMatchObject({
      interactionEvent: 'Register',
      sessionId: expect.any(String),
      applicationId: service.credentials.demo.clientId,
      data: { id: tokens.claims()?.sub, username: 'carol', hasPassword: true },
    });
    expect(byName.PostRegister).toMatchObject({ interactionEvent: 'Register', userId: tokens.claims()?.sub });
    expect(seen(receiver)).toEqual(['PostRegister', 'User.Created']);
  });

  it('registers by a mailed code, and signs in', async () => {
    await using receiver = await listen(service);
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service, { first_screen: 'register' });
    await visitor.open(url);
    expect((await visitor.submit('identifier', { identifier: 'Dora@Example.com' })).text).toContain('dora@example.com');
    expect((await visitor.submit('code', { code: '000000' })).status).toBe(422);
    await visitor.submit('code', { code: (await mailbox.code(1, 'dora@example.com')).replace(/(\d{3})/, '$1 ') });
    await visitor.submit('new-password', { password: GOOD });
    const dora = (await tokensAt(visitor.left as URL)).claims()?.sub;
    await receiver.reach(2);
    expect(seen(receiver)).toEqual(['PostRegister', 'User.Created']);
    expect(await service.api.must(`GET /users/${dora}`)).toMatchObject({ primaryEmail: 'dora@example.com' });

    const again = new Visitor(service.url);
    const second = await authorization(service);
    await again.open(second.url);
    await again.submit('identifier', { identifier: 'dora@example.com' });
    expect((await again.submit('code/send')).status).toBe(429); // The pause between two codes is one minute.
    await again.submit('password', { password: GOOD });
    expect((await second.tokensAt(again.left as URL)).claims()?.sub).toBe(dora);
    await receiver.reach(3);
    expect(seen(receiver)).toEqual(['PostRegister', 'PostSignIn', 'User.Created']);
  });

  it('signs a registration in to the existing account of a verified address', async () => {
    const { id } = await service.api.must('POST /users', { primaryEmail: 'nina@example.com', password: GOOD });
    await using receiver = await listen(service);
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service, { first_screen: 'register' });
    await visitor.open(url);
    const asked = await visitor.submit('identifier', { identifier: 'nina@example.com' });
    expect(asked).toMatchObject({ status: 200, text: expect.not.stringContaining('already') });
    await visitor.submit('code', { code: await mailbox.code(1, 'nina@example.com') });
    expect((await tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);
    await receiver.next('PostSignIn');
    expect(seen(receiver)).toEqual(['PostSignIn']);
  });

  it('resets a password by a mailed code, ends every session, and signs in', async () => {
    const rosa = { username: 'rosa', primaryEmail: 'rosa@example.com', password: OLD };
    const { id } = await service.api.must('POST /users', rosa);
    await using receiver = await listen(service);
    const elsewhere = new Visitor(service.url);
    const before = await authorization(service, { scope: 'openid offline_access', prompt: 'consent' });
    await elsewhere.open(before.url);
    await elsewhere.submit('identifier', { identifier: rosa.username });
    await elsewhere.submit('password', { password: rosa.password });
    const { refresh_token: refreshToken } = await before.tokensAt(elsewhere.left as URL);
    await receiver.next('PostSignIn');

    const visitor = new Visitor(service.url);
    const { client, url, tokensAt } = await authorization(service);
    await visitor.open(url);
    await visitor.submit('identifier', { identifier: 'rosa@example.com' });
    const forgot = await visitor.submit('forgot');
    expect(forgot.html).toContain('value="rosa@example.com"');
    await visitor.submit('identifier', { identifier: 'rosa@example.com' });
    const code = await mailbox.code(1, rosa.primaryEmail);
    await visitor.submit('code', { code });
    await visitor.submit('new-password', { password: GOOD });
    expect((await tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);
    await receiver.reach(4);
    expect(seen(receiver)).toEqual(['PostResetPassword', 'PostSignIn', 'PostSignIn', 'User.Data.Updated']);
    await expect(oauth.refreshTokenGrant(client, refreshToken as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    });

    const again = new Visitor(service.url);
    await again.open((await authorization(service)).url);
    await again.submit('identifier', { identifier: rosa.username });
    expect((await again.submit('password', { password: rosa.password })).status).toBe(422);
    await again.submit('password', { password: GOOD });
    expect(again.left).toBeDefined();
  });

  it('does not reveal by a reset which accounts exist, and allows five attempts per code', async () => {
    await service.api.must('POST /users', { primaryEmail: 'alice@example.com', password: OLD });
    const before = mailbox.mails.length;
    const pages = [];
    for (const identifier of ['alice@example.com', 'nobody@example.com']) {
      const visitor = new Visitor(service.url);
      await visitor.open((await authorization(service, { first_screen: 'reset_password' })).url);
      pages.push((await visitor.submit('identifier', { identifier })).text.replaceAll(identifier, '…'));
      for (let tries = 0; tries < 5; tries += 1)
        expect((await visitor.submit('code', { code: '123' })).status).toBe(422);
      if (identifier.startsWith('alice'))
        expect((await visitor.submit('code', { code: await mailbox.code(1, identifier) })).status).toBe(422);
    }
    expect(pages[0]).toBe(pages[1]);
    expect(mailbox.mails.slice(before).map(({ to }) => to)).toEqual(['alice@example.com']);
  });
});
