import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import { Issuer } from './issuer.ts';
import { Mailbox } from './mailbox.ts';
import { PASSWORD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const EMAIL = 'ceo@corp.example';

async function begin(service: TestService, parameters: Record<string, string> = {}) {
  const visitor = new Visitor(service.url);
  const { url, tokensAt } = await authorization(service, parameters);
  await visitor.open(url);
  const subject = async () => (await tokensAt(visitor.left as URL)).claims()?.sub;
  return { visitor, subject, path: visitor.page?.url.href as string };
}

/** Posts a form of an interaction without the page that shows it. */
async function post({ visitor, path }: Awaited<ReturnType<typeof begin>>, step: string, typed: Record<string, string>) {
  await visitor.open(`${path}?change`);
  const { fields } = visitor.form('identifier');
  return visitor.open(`${path}/${step}`, { method: 'POST', body: new URLSearchParams({ ...fields, ...typed }) });
}

describe.each(databases)('single sign-on on %s', (kind) => {
  it('refuses an address that the provider has not verified, and links nothing', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    const { id: connector } = await issuer.connect(service);
    const { id } = await service.api.must('POST /users', { primaryEmail: EMAIL });
    const arrive = async (claims: Record<string, unknown>) => {
      issuer.claims = { sub: 'mallory', email: EMAIL, ...claims };
      const begun = await begin(service);
      await begun.visitor.submit('identifier', { identifier: EMAIL });
      const page = await issuer.through(begun.visitor);
      return { ...begun, page };
    };
    const identities = async () => (await service.api.must(`GET /users/${id}?includeSsoIdentities=true`)).ssoIdentities;

    for (const claims of [{ email_verified: false }, { email_verified: 'false' }, {}]) {
      const { page, visitor } = await arrive(claims);
      expect(page, JSON.stringify(claims)).toMatchObject({
        status: 422,
        text: expect.stringContaining("Corp ID hasn't verified your email address"),
      });
      expect(visitor.left).toBeUndefined();
    }
    expect(await identities()).toEqual([]);

    // A missing claim is trusted if the tenant says so; `false` is not.
    await service.api.must(`PATCH /connectors/${connector}`, { assumeEmailVerified: true });
    expect((await arrive({ email_verified: false })).page.status).toBe(422);
    expect(await (await arrive({})).subject()).toBe(id);
    expect(await identities()).toMatchObject([{ target: 'corp', identityId: 'mallory' }]);
  });

  it('does not trust a provider for addresses outside its domains', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    await issuer.connect(service);
    issuer.claims = { sub: 'mallory', email: 'someone@elsewhere.example', email_verified: true };
    const begun = await begin(service);
    await begun.visitor.submit('identifier', { identifier: EMAIL });
    await issuer.through(begun.visitor);
    const subject = await begun.subject();
    expect(await service.api.must(`GET /users/${subject}`)).toMatchObject({ primaryEmail: null });
  });

  it('refuses passwords, codes and resets for addresses of its domains, whether or not the account exists', async () => {
    await using mailbox = await Mailbox.start();
    await using issuer = await Issuer.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    await service.api.must('POST /users', { primaryEmail: EMAIL, password: PASSWORD });
    await issuer.connect(service);
    const texts = new Set<string>();
    for (const identifier of [EMAIL, 'nobody@corp.example']) {
      for (const first_screen of ['sign_in', 'reset_password', 'register']) {
        const begun = await begin(service, { first_screen });
        await begun.visitor.submit('identifier', { identifier });
        expect(begun.visitor.left?.origin).toBe(issuer.url);
        begun.visitor.left = undefined;
        for (const step of ['password', 'code/send']) {
          const page = await post(begun, step, { password: PASSWORD });
          expect(page.status, `${step} ${first_screen}`).toBe(422);
          expect(page.html).toContain('/social/corp"');
          texts.add(page.text.replace(identifier, ''));
        }
        expect(begun.visitor.left).toBeUndefined();
      }

      const { call } = await experience(service);
      const typed = { type: 'email', value: identifier };
      const refused = { status: 422, body: { code: 'session.sso_required', data: { target: 'corp' } } };
      expect(await call('POST /verification/password', { identifier: typed, password: PASSWORD })).toMatchObject(
        refused,
      );
      for (const interactionEvent of ['SignIn', 'ForgotPassword', 'Register']) {
        await call('PUT /', { interactionEvent });
        expect(await call('POST /verification/verification-code', { identifier: typed })).toMatchObject(refused);
      }
    }
    expect(texts.size).toBe(1); // The response depends on the domain and not on whether there is an account.
    expect(mailbox.mails).toEqual([]);
  });

  it('refuses a username, a phone number or another provider for an account of its domains', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    await issuer.connect(service);
    await issuer.connect(service, { target: 'anyone', name: 'Anyone ID', domains: [] });
    const { id } = await service.api.must('POST /users', {
      primaryEmail: EMAIL,
      username: 'ceo',
      primaryPhone: '12025550123',
      password: PASSWORD,
    });
    await service.api.must(`POST /users/${id}/identities/anyone`, { userId: 'their-ceo' });

    for (const identifier of ['ceo', '+1 202 555 0123']) {
      const begun = await begin(service);
      await begun.visitor.submit('identifier', { identifier });
      // A wrong password reveals nothing; the right one leads to the provider.
      expect((await begun.visitor.submit('password', { password: 'not it' })).text).not.toContain('Corp ID');
      const page = await begun.visitor.submit('password', { password: PASSWORD });
      expect(page).toMatchObject({ status: 422, text: expect.stringContaining('Continue with Corp ID') });
      expect(begun.visitor.left).toBeUndefined();
    }

    issuer.claims = { sub: 'their-ceo', email: EMAIL, email_verified: true };
    const social = await begin(service);
    await social.visitor.open(`${social.path}/social/anyone`);
    expect(await issuer.through(social.visitor)).toMatchObject({
      status: 422,
      text: expect.stringContaining('Continue with Corp ID'),
    });
    issuer.claims = { sub: 'new', email: 'new@corp.example', email_verified: true };
    const fresh = await begin(service);
    await fresh.visitor.open(`${fresh.path}/social/anyone`);
    expect((await issuer.through(fresh.visitor)).status).toBe(422);

    const { call } = await experience(service);
    const identifier = { type: 'username', value: 'ceo' };
    const { body } = await call('POST /verification/password', { identifier, password: PASSWORD });
    expect(await call('POST /identification', body)).toMatchObject({
      status: 422,
      body: { code: 'session.sso_required', data: { target: 'corp' } },
    });
  });

  it('still applies to a linked account after its address has changed', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    await issuer.connect(service);
    issuer.claims = { sub: 'ceo', email: EMAIL, email_verified: true };
    const begun = await begin(service);
    await begun.visitor.submit('identifier', { identifier: EMAIL });
    await issuer.through(begun.visitor);
    const id = await begun.subject();
    await service.api.must(`PATCH /users/${id}`, { primaryEmail: 'me@private.example', username: 'me' });
    await service.api.must(`PATCH /users/${id}/password`, { password: PASSWORD });
    const again = await begin(service);
    await again.visitor.submit('identifier', { identifier: 'me' });
    expect((await again.visitor.submit('password', { password: PASSWORD })).status).toBe(422);
    expect(again.visitor.left).toBeUndefined();

    // Accounts without the connector sign in as before.
    const { actor } = service.credentials.demo;
    const other = await begin(service);
    await other.visitor.submit('identifier', { identifier: actor.username });
    await other.visitor.submit('password', { password: actor.password });
    expect(await other.subject()).toBe(actor.id);
  });
});
