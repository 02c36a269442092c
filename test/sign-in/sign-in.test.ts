import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { NotedPasswords } from './noted-passwords.ts';
import { authorization, Visitor } from './visitor.ts';

describe.each(databases)('sign-in on %s', (kind) => {
  it('leads a user from the application to its callback, and sends one webhook event', async () => {
    await using service = await startService(kind);
    await using receiver = await WebhookReceiver.start();
    const hook = { name: 'people', events: ['PostSignIn', 'User.Data.Updated'], config: { url: receiver.url } };
    const { id: hookId } = await service.api.must('POST /hooks', hook);
    const { clientId, actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    visitor.headers = { 'user-agent': 'Visitor/1' };
    const { client, url, tokensAt } = await authorization(service, {
      scope: 'openid profile offline_access',
      prompt: 'consent',
    });

    const first = await visitor.open(url);
    expect(first.text).toMatch(/Sign in to /);
    const second = await visitor.submit('identifier', { identifier: actor.username });
    expect(second.text).toContain(actor.username);
    await visitor.submit('password', { password: actor.password });

    const tokens = await tokensAt(visitor.left as URL);
    expect(tokens.claims()).toMatchObject({ sub: actor.id });
    const { event, body } = await receiver.next();
    expect(event).toBe('PostSignIn');
    expect(JSON.parse(body)).toEqual({
      event: 'PostSignIn',
      interactionEvent: 'SignIn',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      sessionId: expect.any(String),
      userAgent: 'Visitor/1',
      userId: actor.id,
      userIp: expect.stringMatching(/127\.0\.0\.1|::1/),
      user: expect.objectContaining({ id: actor.id, username: actor.username, hasPassword: true, identities: {} }),
      application: {
        id: clientId,
        type: expect.any(String),
        name: expect.any(String),
        description: expect.any(String),
      },
      hookId,
    });
    const { lastSignInAt } = await service.api.must(`GET /users/${actor.id}`);
    expect(lastSignInAt).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.parse(body).user.lastSignInAt).toBe(lastSignInAt);

    // A refresh and the visit of a second application use the session and record no event.
    await oauth.refreshTokenGrant(client, tokens.refresh_token as string);
    visitor.left = undefined;
    const again = await authorization(service);
    await visitor.open(again.url);
    await again.tokensAt(visitor.left as unknown as URL);
    expect(receiver.arrivals).toHaveLength(1);
  });

  it('responds to a wrong password and an unknown account with the same text, after computing the same hash', async () => {
    const passwords = new NotedPasswords();
    await using service = await startService(kind, {}, undefined, { passwords });
    const { actor } = service.credentials.demo;
    const answers: { status: number; text: string; costs: string[] }[] = [];
    for (const identifier of [actor.username, 'nobody_here']) {
      const visitor = new Visitor(service.url);
      await visitor.open((await authorization(service)).url);
      await visitor.submit('identifier', { identifier });
      const { status, text } = await visitor.submit('password', { password: 'not it' });
      answers.push({ status, text: text.replace(identifier, '…'), costs: passwords.takeCosts() });
      expect(visitor.page?.html).toContain('aria-invalid="true"');
    }
    const [known, unknown] = answers;
    expect(known).toMatchObject({ status: 422, costs: ['argon2id v=19 m=19456,t=2,p=1'] });
    expect(unknown).toEqual(known);
  });

  it('locks an account after ten attempts, whether or not it exists', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    for (const identifier of [actor.username, 'nobody_here']) {
      const visitor = new Visitor(service.url);
      await visitor.open((await authorization(service)).url);
      await visitor.submit('identifier', { identifier });
      const { action, fields } = visitor.form('password');
      const tries = Array.from({ length: 15 }, async () => {
        const body = new URLSearchParams({ ...fields, password: 'not it' });
        return (await visitor.send(action, { method: 'POST', body })).status;
      });
      const statuses = await Promise.all(tries);
      expect(statuses.filter((status) => status === 422)).toHaveLength(10);
      const right = await visitor.submit('password', { password: actor.password });
      expect(right.status).toBe(429);
      expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(60);
    }
  });

  it('completes once when a form is sent twice', async () => {
    await using service = await startService(kind);
    await using receiver = await WebhookReceiver.start();
    await service.api.must('POST /hooks', { name: 'people', events: ['PostSignIn'], config: { url: receiver.url } });
    const { actor } = service.credentials.demo;
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: actor.username });
    const { action, fields } = visitor.form('password');
    const send = () =>
      visitor.send(action, { method: 'POST', body: new URLSearchParams({ ...fields, password: actor.password }) });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    await receiver.next('PostSignIn');
    const audit = await service.api.call('GET /logs?logKey=SignIn.SignIn');
    if (audit.status === 200) expect(audit.body).toHaveLength(1);
    expect(receiver.arrivals).toHaveLength(1);
  });

  it('refuses a suspended user with the right password', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    await service.api.must(`PATCH /users/${actor.id}/is-suspended`, { isSuspended: true });
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: actor.username });
    const { status, text } = await visitor.submit('password', { password: actor.password });
    expect(status).toBe(422);
    expect(text).toContain('This account is suspended');
    expect(visitor.left).toBeUndefined();
  });
});

describe('an interaction', () => {
  it('belongs to the browser that started it, and to its own forms', async () => {
    await using service = await startService('sqlite');
    const { actor } = service.credentials.demo;
    const [visitor, thief] = [new Visitor(service.url), new Visitor(service.url)];
    const { url } = await visitor.open((await authorization(service)).url);
    const stolen = await thief.open(url);
    expect(stolen).toMatchObject({ status: 404, text: expect.stringContaining('This page has expired') });

    const { action, fields } = visitor.form('identifier');
    const send = (body: Record<string, string>, headers = {}) =>
      visitor.send(action, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ identifier: actor.username, ...body }),
      });
    expect((await send({})).status).toBe(403);
    expect((await send({ csrf: 'x'.repeat(43) })).status).toBe(403);
    expect((await send(fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send(fields, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  it('is shown without inline code or frames, uncached, in the requested language', async () => {
    await using service = await startService('sqlite');
    const visitor = new Visitor(service.url);
    visitor.headers = { 'accept-language': 'sv, de-AT;q=0.8, en;q=0.5' };
    const { headers, html, text } = await visitor.open((await authorization(service)).url);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(html).not.toMatch(/<script>|\sstyle=|\son\w+=/);
    expect(html).toContain('<html lang="de">');
    expect(text).toContain('anmelden');
    const english = await visitor.open((await authorization(service, { ui_locales: 'en' })).url);
    expect(english.html).toContain('<html lang="en">');

    for (const [, path = ''] of html.matchAll(/<(?:link|script|img)[^>]* (?:href|src)="(\/[^"]+)"/g)) {
      const asset = await fetch(new URL(path, service.url));
      expect(asset.status, path).toBe(200);
      expect(asset.headers.get('cache-control')).toContain('immutable');
    }
  });

  it('escapes its input', async () => {
    await using service = await startService('sqlite');
    const visitor = new Visitor(service.url);
    const { html } = await visitor.open(
      (await authorization(service, { login_hint: '"><script>alert(1)</script>' })).url,
    );
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('&quot;&gt;&lt;script&gt;');
  });
});
