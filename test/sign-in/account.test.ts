import { Secret, TOTP } from 'otpauth';
import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/base/times.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { Issuer } from './issuer.ts';
import { Mailbox } from './mailbox.ts';
import { PASSWORD } from './stage.ts';
import { Visitor } from './visitor.ts';

/** Opens the account page for a user who signed in this many minutes ago. */
async function atAccount(service: TestService, minutesAgo = 0): Promise<Visitor> {
  const visitor = new Visitor(service.url);
  // oidc-provider reads the shifted time; the service's own clock is unaffected.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - minutesAgo * MINUTE_MS });
  try {
    await visitor.open(`${service.url}/account`);
    await signIn(visitor);
  } finally {
    vi.useRealTimers();
  }
  expect(visitor.page?.url.pathname).toBe('/account');
  return visitor;
}

async function signIn(visitor: Visitor): Promise<void> {
  await visitor.submit('identifier', { identifier: 'judy' });
  await visitor.submit('password', { password: PASSWORD });
}

const judy = { username: 'judy', primaryEmail: 'judy@example.com', password: PASSWORD };

async function post(visitor: Visitor, address: string, typed: Record<string, string>) {
  await visitor.open(new URL('/account?edit=name', visitor.page?.url));
  const { fields } = visitor.form('name');
  return visitor.open(address, { method: 'POST', body: new URLSearchParams({ ...fields, ...typed }) });
}

describe.each(databases)('the account page on %s', (kind) => {
  it('does not start linking from another site, or link an identity that the user has not confirmed', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    await issuer.connect(service, { target: 'anyone', name: 'Anyone ID', domains: [] });
    await issuer.connect(service);
    const { id } = await service.api.must('POST /users', judy);
    const identities = async () => Object.keys((await service.api.must(`GET /users/${id}`)).identities);
    const visitor = await atAccount(service);
    issuer.claims = { sub: 'mallory', email: 'mallory@elsewhere.example', email_verified: true };

    const place = new URL(`${service.url}/account/link/anyone`);
    const followed = await visitor.send(place, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(followed.headers.get('location') ?? '').not.toContain(issuer.url);
    expect((await visitor.send(place, { method: 'POST', body: new URLSearchParams() })).status).toBe(403);
    expect((await post(visitor, `${service.url}/account/link/corp`, {})).status).toBe(422);

    await visitor.open(`${service.url}/account`);
    await visitor.submit('link/anyone');
    const page = await issuer.through(visitor);
    expect(page.text).toContain('Link Anyone ID?');
    expect(page.text).toContain('mallory@elsewhere.example');
    expect(await identities()).toEqual([]);
    await visitor.submit('link');
    expect(await identities()).toEqual(['anyone']);

    const unlinking = await visitor.open(`${service.url}/account?unlink=anyone`);
    expect(unlinking.text).toContain('Remove Anyone ID?');
    expect(unlinking.text).toContain('mallory@elsewhere.example');
    await visitor.submit('unlink');
    expect(await identities()).toEqual([]);
  });

  it('does not change sign-in methods without a sign-in within the last minutes', async () => {
    await using mailbox = await Mailbox.start();
    await using issuer = await Issuer.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    await issuer.connect(service, { target: 'anyone', name: 'Anyone ID', domains: [] });
    const { id } = await service.api.must('POST /users', judy);
    const visitor = await atAccount(service, 10);
    const before = await service.api.must(`GET /users/${id}`);

    for (const page of ['edit=email', 'edit=username', 'add=Totp', 'remove=x', 'unlink=anyone', 'add=Totp&x=1']) {
      expect((await visitor.open(`${service.url}/account?${page}`)).url.pathname, page).toMatch(/^\/sign-in\//);
    }
    const attempts = {
      username: { identifier: 'mallory' },
      email: { identifier: 'mallory@elsewhere.example' },
      phone: { identifier: '+1 202 555 0123' },
      'enrol/totp': { code: '123456' },
      'enrol/backup': {},
      remove: { id: 'x' },
      unlink: { id: 'anyone' },
      'link/anyone': {},
    };
    for (const [step, typed] of Object.entries(attempts)) {
      const { url } = await post(visitor, `${service.url}/account/${step}`, typed);
      expect(url.pathname, step).toMatch(/^\/sign-in\//);
      expect(visitor.left).toBeUndefined();
    }
    expect(await service.api.must(`GET /users/${id}`)).toEqual(before);
    expect(mailbox.mails).toEqual([]);

    // The name is no credential. A sign-in returns to the page that the user was opening.
    await post(visitor, `${service.url}/account/name`, { name: 'Judy' });
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ name: 'Judy' });
    await visitor.open(`${service.url}/account?edit=email`);
    await signIn(visitor);
    expect(visitor.page?.url.href).toBe(`${service.url}/account?edit=email`);
    await visitor.submit('email', { identifier: 'new@example.com' });
    await visitor.submit('code', { code: await mailbox.code() });
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ primaryEmail: 'new@example.com' });
    await mailbox.code(2);
    expect(mailbox.mails[1]).toMatchObject({
      to: 'judy@example.com',
      text: expect.stringContaining('The email address was changed'),
    });
  });

  it('does not remove the last factor if one is required, and notifies the owner of other removals', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    const { id } = await service.api.must('POST /users', judy);
    const visitor = await atAccount(service);
    await service.api.must('PATCH /sign-in-exp', { mfa: { factors: ['Totp', 'BackupCode'], policy: 'Mandatory' } });
    const { html } = await visitor.open(`${service.url}/account?add=Totp`);
    const secret = (/<p class="mono">([A-Z2-7 ]+)<\/p>/.exec(html)?.[1] ?? '').replaceAll(' ', '');
    await visitor.submit('enrol/totp', { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() });
    await service.api.must(`POST /users/${id}/mfa-verifications`, { type: 'BackupCode' });
    const factors = async () => (await service.api.must(`GET /users/${id}/mfa-verifications`)) as { id: string }[];
    const [totp] = await factors();

    await visitor.open(`${service.url}/account?remove=${totp?.id}`);
    expect(await visitor.submit('remove')).toMatchObject({
      status: 422,
      text: expect.stringContaining('A second factor is required,'),
    });
    expect(await factors()).toHaveLength(2);

    await service.api.must('PATCH /sign-in-exp', {
      mfa: { factors: ['Totp', 'BackupCode'], policy: 'UserControlled' },
    });
    await visitor.submit('remove');
    expect(await factors()).toHaveLength(1);
    await mailbox.code(2);
    expect(mailbox.mails.map(({ to }) => to)).toEqual(['judy@example.com', 'judy@example.com']);
    expect(mailbox.mails[1]?.text).toContain('A second factor was removed');
  });

  it('does not let a single sign-on account unlink its provider or set a password', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    await issuer.connect(service);
    issuer.claims = { sub: 'judy', email: 'judy@corp.example', email_verified: true };
    const visitor = new Visitor(service.url);
    await visitor.open(`${service.url}/account`);
    await visitor.submit('identifier', { identifier: 'judy@corp.example' });
    const { html } = await issuer.through(visitor);
    expect(html).toContain('Corp ID');
    expect(html).not.toContain('unlink=corp');
    expect((await post(visitor, `${service.url}/account/unlink`, { id: 'corp' })).status).toBe(422);
    expect(await post(visitor, `${service.url}/account/password`, { password: PASSWORD })).toMatchObject({
      status: 422,
      text: expect.stringContaining('Your organization manages this account.'),
    });
  });
});
