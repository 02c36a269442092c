import { Secret, TOTP } from 'otpauth';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Callback, launchBrowser, look } from '../support/browser.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Mailbox } from './mailbox.ts';
import { authorization } from './visitor.ts';

const GOOD = 'violet harbour ninety';
const EVENTS = ['User.Created', 'PostRegister', 'PostSignIn', 'User.Data.Updated', 'PostResetPassword'];

let browser: Browser;
let mailbox: Mailbox;
let service: TestService;
let receiver: WebhookReceiver;
let callback: Callback;
let application: { clientId: string; redirectUri: string };

beforeAll(async () => {
  browser = await launchBrowser();
  mailbox = await Mailbox.start();
  service = await startService('sqlite', { SMTP_URL: mailbox.url });
  receiver = await WebhookReceiver.start();
  await service.api.must('POST /hooks', { name: 'people', events: EVENTS, config: { url: receiver.url } });
  callback = await Callback.start();
  application = await register('Support console');
  await service.api.must('PATCH /sign-in-exp', { brandName: 'Acme', color: { primaryColor: '#0f766e' } });
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await callback?.[Symbol.asyncDispose]();
  await receiver?.stop();
  await service?.[Symbol.asyncDispose]();
  await mailbox?.[Symbol.asyncDispose]();
});

async function register(name: string, isThirdParty = false) {
  const { redirectUri } = callback;
  const oidcClientMetadata = { redirectUris: [redirectUri], postLogoutRedirectUris: [] };
  const { id } = await service.api.must('POST /applications', { name, type: 'SPA', isThirdParty, oidcClientMetadata });
  return { clientId: id as string, redirectUri };
}

/** A fresh browser at the first page of a sign-in, and what came of it. */
async function visit(parameters: Record<string, string> = {}, context?: BrowserContext) {
  const own = context ?? (await browser.newContext());
  const page = await own.newPage();
  const { url, tokensAt } = await authorization(service, parameters, application);
  await page.goto(url.href);
  return { page, context: own, tokens: async () => tokensAt(await callback.next()) };
}

const continueWith = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel(/Username/).fill(username);
  await continueWith(page, 'Continue');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await continueWith(page, 'Sign in');
}

const events = () =>
  receiver.arrivals
    .splice(0)
    .map(({ event }) => event)
    .sort();

describe('in a browser', () => {
  it('signs in; a wrong password is said next to its field', async () => {
    const { actor } = service.credentials.demo;
    const { page, tokens } = await visit();
    await look(page, 'sign-in');
    await page.getByLabel(/Username/).fill(actor.username);
    await continueWith(page, 'Continue');
    await look(page, 'password');
    await page.getByLabel('Password', { exact: true }).fill('not it');
    await continueWith(page, 'Sign in');
    await look(page, 'password-wrong');
    const field = page.getByLabel('Password', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id')).toBe('password');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await field.getAttribute('type')).toBe('text');
    await field.fill(actor.password);
    await continueWith(page, 'Sign in');
    expect((await tokens()).claims()?.sub).toBe(actor.id);
    await receiver.next('PostSignIn');
    expect(events()).toEqual(['PostSignIn']);
  });

  it('registers by e-mail with a mailed code', async () => {
    const { page, tokens } = await visit({ first_screen: 'register' });
    await look(page, 'register');
    await page.getByLabel(/Username/).fill('frank@example.com');
    await continueWith(page, 'Continue');
    await look(page, 'code');
    await page.getByLabel('6-digit code').fill('000000');
    await continueWith(page, 'Continue');
    await look(page, 'code-wrong');
    await page.getByLabel('6-digit code').fill(await mailbox.code());
    await continueWith(page, 'Continue');
    await look(page, 'choose-password');
    await page.getByLabel('New password').fill('qwerty123');
    await continueWith(page, 'Create account');
    await look(page, 'choose-password-common');
    await page.getByLabel('New password').fill(GOOD);
    await continueWith(page, 'Create account');
    await tokens();
    await receiver.next('PostRegister');
    await receiver.next('User.Created');
    expect(events()).toEqual(['PostRegister', 'User.Created']);
  });

  it('resets a password through a mailed code', async () => {
    await service.api.must('POST /users', { primaryEmail: 'grace@example.com', password: 'an old password' });
    await receiver.next('User.Created');
    events();
    const { page, tokens } = await visit();
    await page.getByLabel(/Username/).fill('grace@example.com');
    await continueWith(page, 'Continue');
    await continueWith(page, 'Forgot your password?');
    await look(page, 'forgot');
    const mails = mailbox.mails.length;
    await continueWith(page, 'Send code');
    await page.getByLabel('6-digit code').fill(await mailbox.code(mails + 1));
    await continueWith(page, 'Continue');
    await look(page, 'new-password');
    await page.getByLabel('New password').fill(GOOD);
    await continueWith(page, 'Change password');
    await look(page, 'password-changed');
    await page.getByLabel('Password', { exact: true }).fill(GOOD);
    await continueWith(page, 'Sign in');
    await tokens();
    await receiver.next('PostSignIn');
    expect(events()).toEqual(['PostResetPassword', 'PostSignIn', 'User.Data.Updated']);
  });

  it('sets up an authenticator app and asks for its code', async () => {
    await service.api.must('PATCH /sign-in-exp', {
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'], policy: 'Mandatory' },
    });
    const { id } = await service.api.must('POST /users', { username: 'heidi', password: GOOD });
    await receiver.next('User.Created');
    events();
    const { page, tokens } = await visit();
    await signIn(page, 'heidi', GOOD);
    await look(page, 'enrol');
    await page.getByRole('link', { name: /Authenticator app/ }).click();
    await look(page, 'enrol-totp');
    const secret = String(await page.locator('.card p.mono').textContent()).replaceAll(' ', '');
    const codeAt = (at: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
    await page.getByLabel('Code the app shows now').fill(codeAt(Date.now()));
    await continueWith(page, 'Turn on');
    await look(page, 'backup-codes');
    const [code = ''] = await page.locator('.codes li').allTextContents();
    await continueWith(page, 'I saved them');
    expect((await tokens()).claims()?.sub).toBe(id);
    await receiver.next('User.Data.Updated');
    await receiver.next('PostSignIn');
    expect(events()).toEqual(['PostSignIn', 'User.Data.Updated']);

    const again = await visit();
    await signIn(again.page, 'heidi', GOOD);
    await look(again.page, 'mfa-totp');
    await again.page.getByLabel('Code from the app').fill(codeAt(Date.now() + 30_000));
    await continueWith(again.page, 'Continue');
    await again.tokens();

    const third = await visit();
    await signIn(third.page, 'heidi', GOOD);
    await third.page.getByRole('link', { name: 'Use a backup code' }).click();
    await look(third.page, 'mfa-backup');
    await third.page.getByLabel('Backup code').fill(code);
    await continueWith(third.page, 'Continue');
    await third.tokens();
    await receiver.next('PostSignIn');
  });

  it('adds a passkey and asks for it', async () => {
    await service.api.must('POST /users', { username: 'ivan', password: GOOD });
    await receiver.next('User.Created');
    const { page, context, tokens } = await visit();
    const session = await context.newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    await signIn(page, 'ivan', GOOD);
    await page.getByRole('link', { name: /Passkey/ }).click();
    await look(page, 'enrol-passkey');
    await continueWith(page, 'Add passkey');
    await continueWith(page, 'I saved them');
    await tokens();
    await receiver.next('User.Data.Updated');
    events();

    await context.clearCookies();
    const { url, tokensAt } = await authorization(service, {}, application);
    await page.goto(url.href);
    await signIn(page, 'ivan', GOOD);
    await look(page, 'mfa-passkey');
    await continueWith(page, 'Use passkey');
    await tokensAt(await callback.next());
    await receiver.next('PostSignIn');
    expect(events()).toEqual(['PostSignIn']);
    await service.api.must('PATCH /sign-in-exp', {
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'], policy: 'UserControlled' },
    });
  });

  it('asks for consent to a third party, and signs out', async () => {
    const { actor } = service.credentials.demo;
    const third = await register('Calendar sync', true);
    const page = await (await browser.newContext()).newPage();
    const { url, tokensAt } = await authorization(service, {}, third);
    await page.goto(url.href);
    await signIn(page, actor.username, actor.password);
    await look(page, 'consent');
    await continueWith(page, 'Allow');
    const { id_token: hint } = await tokensAt(await callback.next());
    await page.goto(`${service.url}/oidc/session/end?id_token_hint=${hint}`);
    await look(page, 'sign-out');
    await continueWith(page, 'Sign out');
    await look(page, 'signed-out');
    await page.goto(`${service.url}/sign-in/unknown`);
    await look(page, 'expired');
    await page.goto(`${service.url}/oidc/auth?client_id=${third.clientId}&redirect_uri=https://evil.example`);
    await look(page, 'error');
  });

  it('shows people their own account, and lets them change it', async () => {
    const { id } = await service.api.must('POST /users', { username: 'judy', password: GOOD });
    await receiver.next('User.Created');
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${service.url}/account`);
    await signIn(page, 'judy', GOOD);
    await page.waitForURL(`${service.url}/account`);
    await receiver.next('PostSignIn');
    events();

    await page.getByRole('link', { name: 'Add: Name' }).click();
    await look(page, 'account-name');
    await page.getByLabel('Name').fill('Judy Ünal');
    await continueWith(page, 'Save');
    const { body } = await receiver.next('User.Data.Updated');
    const payload = JSON.parse(body);
    expect(payload).toMatchObject({ sessionId: expect.any(String), data: { id, name: 'Judy Ünal' } });
    expect(payload).not.toHaveProperty('interactionEvent');

    await page.getByRole('link', { name: 'Add: E-mail address' }).click();
    await page.getByLabel('E-mail address').fill('judy@example.com');
    const mails = mailbox.mails.length;
    await continueWith(page, 'Continue');
    await page.getByLabel('6-digit code').fill(await mailbox.code(mails + 1));
    await continueWith(page, 'Continue');
    await receiver.next('User.Data.Updated');
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ primaryEmail: 'judy@example.com' });

    await page.getByRole('link', { name: 'Change: Password' }).click();
    await page.getByLabel('Current password').fill('not it');
    await page.getByLabel('New password').fill('another long secret');
    await continueWith(page, 'Save');
    await look(page, 'account-password-wrong');
    await page.getByLabel('Current password').fill(GOOD);
    await page.getByLabel('New password').fill('another long secret');
    await continueWith(page, 'Save');
    await receiver.next('User.Data.Updated');

    await page.getByRole('link', { name: 'Add: Authenticator app' }).click();
    const secret = String(await page.locator('.card p.mono').textContent()).replaceAll(' ', '');
    await page.getByLabel('Code the app shows now').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
    await continueWith(page, 'Turn on');
    await receiver.next('User.Data.Updated');
    await look(page, 'account');

    await page.getByRole('link', { name: 'Remove: Authenticator app' }).click();
    await look(page, 'account-remove');
    await continueWith(page, 'Remove');
    await receiver.next('User.Data.Updated');
    expect(await service.api.must(`GET /users/${id}/mfa-verifications`)).toEqual([]);
    expect(new Set(events())).toEqual(new Set(['User.Data.Updated']));

    await page.getByRole('link', { name: 'Sign out' }).click();
    await continueWith(page, 'Sign out');
    await page.goto(`${service.url}/account`);
    expect(page.url()).toContain('/sign-in/');
  });
});
