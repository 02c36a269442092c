import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look } from '../support/browser.ts';
import { PASSWORD, press, SignInStage, signIn } from './stage.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await SignInStage.open();
}, 60_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

describe('the account page in a browser', () => {
  it('shows users their own account and lets them change it', async () => {
    const id = await stage.createUser({ username: 'judy', password: PASSWORD });
    const page = await (await stage.browser.newContext()).newPage();
    await page.goto(`${stage.service.url}/account`);
    await signIn(page, 'judy', PASSWORD);
    await page.waitForURL(`${stage.service.url}/account`);
    await stage.receiver.next('PostSignIn');

    await page.getByRole('link', { name: 'Add: Name' }).click();
    await look(page, 'account-name');
    await page.getByLabel('Name').fill('Judy Ünal');
    await press(page, 'Save');
    const { body } = await stage.receiver.next('User.Data.Updated');
    const payload = JSON.parse(body);
    expect(payload).toMatchObject({ sessionId: expect.any(String), data: { id, name: 'Judy Ünal' } });
    expect(payload).not.toHaveProperty('interactionEvent');

    await page.getByRole('link', { name: 'Add: Email address' }).click();
    await page.getByLabel('Email address').fill('judy@example.com');
    const mails = stage.mailbox.mails.length;
    await press(page, 'Continue');
    await page.getByLabel('6-digit code').fill(await stage.mailbox.code(mails + 1));
    await stage.receiver.next('User.Data.Updated');
    expect(await stage.service.api.must(`GET /users/${id}`)).toMatchObject({ primaryEmail: 'judy@example.com' });

    await page.getByRole('link', { name: 'Change: Password' }).click();
    await page.getByLabel('Current password').fill('not it');
    await page.getByLabel('New password').fill('another long secret');
    await press(page, 'Save');
    await look(page, 'account-password-wrong');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another long secret');
    await press(page, 'Save');
    await stage.receiver.next('User.Data.Updated');

    await page.getByRole('link', { name: 'Add: Authenticator app' }).click();
    const secret = String(await page.locator('.card p.mono').textContent()).replaceAll(' ', '');
    await page.getByLabel('Code the app shows now').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
    await stage.receiver.next('User.Data.Updated');
    await page.getByRole('link', { name: 'Remove: Authenticator app' }).waitFor();
    await look(page, 'account');

    await page.getByRole('link', { name: 'Remove: Authenticator app' }).click();
    await look(page, 'account-remove');
    await press(page, 'Remove');
    await stage.receiver.next('User.Data.Updated');
    expect(await stage.service.api.must(`GET /users/${id}/mfa-verifications`)).toEqual([]);
    const changes = Array<string>(5).fill('User.Data.Updated');
    expect(stage.receiver.arrivals.map(({ event }) => event)).toEqual(['User.Created', 'PostSignIn', ...changes]);

    await page.getByRole('link', { name: 'Sign out' }).click();
    await press(page, 'Sign out');
    await page.goto(`${stage.service.url}/account`);
    expect(page.url()).toContain('/sign-in/');
  });
});
