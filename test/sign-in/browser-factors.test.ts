import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look } from '../support/browser.ts';
import { PASSWORD, press, SignInStage, signIn } from './stage.ts';
import { authorization } from './visitor.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await SignInStage.open();
}, 60_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

describe('second factors in a browser', () => {
  it('sets up an authenticator app and asks for its code', async () => {
    await stage.service.api.must('PATCH /sign-in-exp', {
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'], policy: 'Mandatory' },
    });
    const id = await stage.createUser({ username: 'heidi', password: PASSWORD });
    const { page, tokens } = await stage.startSignIn();
    await signIn(page, 'heidi', PASSWORD);
    await look(page, 'enrol');
    await page.getByRole('link', { name: /Authenticator app/ }).click();
    await look(page, 'enrol-totp');
    const secret = String(await page.locator('.card p.mono').textContent()).replaceAll(' ', '');
    const codeAt = (at: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
    await page.getByLabel('Code the app shows now').fill(codeAt(Date.now()));
    await page.getByRole('button', { name: 'I saved these codes' }).waitFor();
    await look(page, 'backup-codes');
    const [code = ''] = await page.locator('.codes li').allTextContents();
    await press(page, 'I saved these codes');
    expect((await tokens()).claims()?.sub).toBe(id);
    expect(await stage.eventNames(2)).toEqual(['PostSignIn', 'User.Data.Updated']);

    const again = await stage.startSignIn();
    await signIn(again.page, 'heidi', PASSWORD);
    await look(again.page, 'mfa-totp');
    await again.page.getByLabel('Code from the app').fill(codeAt(Date.now() + 30_000));
    await again.tokens();
    expect(await stage.eventNames(1)).toEqual(['PostSignIn']);

    const third = await stage.startSignIn();
    await signIn(third.page, 'heidi', PASSWORD);
    await third.page.getByRole('link', { name: 'Use a backup code' }).click();
    await look(third.page, 'mfa-backup');
    await third.page.getByLabel('Backup code').fill(code);
    await press(third.page, 'Continue');
    await third.tokens();
    expect(await stage.eventNames(1)).toEqual(['PostSignIn']);
  });

  it('adds a passkey and asks for it', async () => {
    await stage.createUser({ username: 'ivan', password: PASSWORD });
    const { page, context, tokens } = await stage.startSignIn();
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
    await signIn(page, 'ivan', PASSWORD);
    await page.getByRole('link', { name: /Passkey/ }).click();
    await look(page, 'enrol-passkey');
    await press(page, 'Add passkey');
    await press(page, 'I saved these codes');
    await tokens();
    expect(await stage.eventNames(2)).toEqual(['PostSignIn', 'User.Data.Updated']);

    await context.clearCookies();
    const { url, tokensAt } = await authorization(stage.service, {}, await stage.application('Support console'));
    await page.goto(url.href);
    await signIn(page, 'ivan', PASSWORD);
    await look(page, 'mfa-passkey');
    await press(page, 'Use passkey');
    await tokensAt(await stage.callback.next());
    expect(await stage.eventNames(1)).toEqual(['PostSignIn']);
    await stage.service.api.must('PATCH /sign-in-exp', {
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'], policy: 'UserControlled' },
    });
  });
});
