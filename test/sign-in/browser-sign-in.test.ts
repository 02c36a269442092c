import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look } from '../support/browser.ts';
import { PASSWORD, press, SignInStage, signIn } from './stage.ts';
import { authorization } from './visitor.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await SignInStage.open();
}, 60_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

describe('sign-in in a browser', () => {
  it('signs in, and reports a wrong password at its field', async () => {
    const { actor } = stage.service.credentials.demo;
    const { page, tokens } = await stage.startSignIn();
    await look(page, 'sign-in');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.fault').getByText('This field is required.').waitFor();
    expect(await page.getByLabel(/Username/).getAttribute('aria-describedby')).toContain('identifier-fault');
    await look(page, 'sign-in-empty');
    await page.getByLabel(/Username/).fill(actor.username);
    await press(page, 'Continue');
    await look(page, 'password');
    await page.getByLabel('Password', { exact: true }).fill('not it');
    await press(page, 'Sign in');
    await look(page, 'password-wrong');
    const field = page.getByLabel('Password', { exact: true });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await page.evaluate('document.activeElement.id')).toBe('password');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await field.getAttribute('type')).toBe('text');
    await field.fill(actor.password);
    await press(page, 'Sign in');
    expect((await tokens()).claims()?.sub).toBe(actor.id);
    expect(await stage.eventNames(1)).toEqual(['PostSignIn']);
  });

  it('registers by email with a mailed code', async () => {
    const { page, tokens } = await stage.startSignIn({ first_screen: 'register' });
    await look(page, 'register');
    await page.getByLabel(/Username/).fill('frank@example.com');
    await press(page, 'Continue');
    await look(page, 'code');
    // The sixth digit sends the code, and a corrected one is sent again.
    await page.getByLabel('6-digit code').fill('000000');
    await page.getByText('This code is wrong').waitFor();
    await look(page, 'code-wrong');
    await page.getByLabel('6-digit code').fill(await stage.mailbox.code());
    await page.getByLabel('New password').waitFor();
    await look(page, 'choose-password');
    await page.getByLabel('New password').fill('qwerty123');
    await press(page, 'Create account');
    await look(page, 'choose-password-common');
    await page.getByLabel('New password').fill(PASSWORD);
    await press(page, 'Create account');
    await tokens();
    expect(await stage.eventNames(2)).toEqual(['PostRegister', 'User.Created']);
  });

  it('resets a password through a mailed code', async () => {
    await stage.createUser({ primaryEmail: 'grace@example.com', password: 'an old password' });
    const { page, tokens } = await stage.startSignIn();
    await page.getByLabel(/Username/).fill('grace@example.com');
    await press(page, 'Continue');
    await press(page, 'Forgot your password?');
    await look(page, 'forgot');
    const mails = stage.mailbox.mails.length;
    await press(page, 'Send code');
    await page.getByLabel('6-digit code').fill(await stage.mailbox.code(mails + 1));
    await page.getByLabel('New password').waitFor();
    await look(page, 'new-password');
    await page.getByLabel('New password').fill(PASSWORD);
    await press(page, 'Change password');
    await tokens();
    expect(await stage.eventNames(3)).toEqual(['PostResetPassword', 'PostSignIn', 'User.Data.Updated']);
  });

  it('keeps the brand and the heading in place from step to step', async () => {
    const { actor } = stage.service.credentials.demo;
    const { page } = await stage.startSignIn();
    const places = async () =>
      Promise.all(['.brand', 'h1'].map(async (selector) => (await page.locator(selector).boundingBox())?.y));
    const first = await places();
    await page.getByLabel(/Username/).fill(actor.username);
    await press(page, 'Continue');
    expect(await places()).toEqual(first);
    await page.getByLabel('Password', { exact: true }).fill('not it');
    await press(page, 'Sign in');
    await page.getByText('Incorrect username or password.').waitFor();
    expect(await places()).toEqual(first);
  });

  it('changes the language, and keeps it on the next pages', async () => {
    const { page } = await stage.startSignIn();
    await page.getByText('Language: English').click();
    await look(page, 'languages');
    await page.getByRole('link', { name: '日本語' }).click();
    await page.getByRole('heading', { name: 'Acme にログイン' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ja');
    await look(page, 'sign-in-japanese');
    await page.goto(stage.service.url);
    await page.getByRole('heading', { name: 'Acme へようこそ' }).waitFor();
  });

  it('asks for consent to a third-party application, and signs out', async () => {
    const { actor } = stage.service.credentials.demo;
    const third = await stage.application('Calendar sync', true);
    const page = await (await stage.browser.newContext()).newPage();
    const { url, tokensAt } = await authorization(stage.service, {}, third);
    await page.goto(url.href);
    await signIn(page, actor.username, actor.password);
    await look(page, 'consent');
    await press(page, 'Allow');
    const { id_token: hint } = await tokensAt(await stage.callback.next());
    await page.goto(`${stage.service.url}/oidc/session/end?id_token_hint=${hint}`);
    await look(page, 'sign-out');
    await press(page, 'Sign out');
    await look(page, 'signed-out');
    await page.goto(`${stage.service.url}/sign-in/unknown`);
    await look(page, 'expired');
    await page.goto(`${stage.service.url}/oidc/auth?client_id=${third.clientId}&redirect_uri=https://evil.example`);
    await look(page, 'error');
  });
});
