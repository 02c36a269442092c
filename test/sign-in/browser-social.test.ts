import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look } from '../support/browser.ts';
import { secondTenant } from './second-tenant.ts';
import { PASSWORD, press, SignInStage, signIn } from './stage.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await SignInStage.open();
}, 60_000);

afterAll(() => stage?.[Symbol.asyncDispose]());

describe('an identity provider in a browser', () => {
  it('can be a second tenant of the same service: links an account and signs in', async () => {
    const { kim } = await secondTenant(stage.service);
    await stage.createUser({ primaryEmail: 'kim@acme.example', password: PASSWORD });
    const { page, tokens } = await stage.startSignIn();
    await look(page, 'sign-in-providers');
    await page.getByRole('link', { name: 'Continue with Acme ID' }).click();
    await page.getByRole('heading', { name: 'Sign in to Acme ID' }).waitFor();
    await signIn(page, 'kim', PASSWORD);
    await look(page, 'link-existing');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await press(page, 'Sign in');
    const subject = (await tokens()).claims()?.sub;
    expect(await stage.eventNames(2)).toEqual(['PostSignIn', 'User.Data.Updated']);
    expect(await stage.service.api.must(`GET /users/${subject}`)).toMatchObject({
      identities: { acme: { userId: kim } },
    });
  });

  it('is linked and unlinked on the account page', async () => {
    const id = await stage.createUser({ username: 'lou', password: PASSWORD });
    const page = await (await stage.browser.newContext()).newPage();
    await page.goto(`${stage.service.url}/account`);
    await signIn(page, 'lou', PASSWORD);
    await page.getByRole('button', { name: 'Add: Acme ID' }).click();
    await signIn(page, 'kim', PASSWORD);
    await page.getByText('This Acme ID account is already linked to another user.').waitFor();
    await look(page, 'account-link-taken');
    await stage.service.api.must('POST /users/:id/identities/acme'.replace(':id', id), { userId: 'someone-else' });
    await page.goto(`${stage.service.url}/account`);
    await page.getByRole('link', { name: 'Remove: Acme ID' }).click();
    await press(page, 'Remove');
    await page.getByText('Saved.').waitFor();
    expect(await stage.service.api.must(`GET /users/${id}`)).toMatchObject({ identities: {} });
    expect(await stage.eventNames(3)).toEqual(['PostSignIn', 'User.Data.Updated', 'User.Data.Updated']);
  });
});

describe('the sign-in pages', () => {
  it('speak German, keep long names visible, and state when to try again', async () => {
    await stage.service.api.must('PATCH /sign-in-exp', {
      brandName: 'Stadtwerke Schwäbisch Gmünd Energieversorgung und Service',
      color: { primaryColor: '#ffd400' },
    });
    const name = 'Kundenportal für Einspeisevergütung und Abschlagszahlungen';
    const application = await stage.application(name);
    const { page } = await stage.startSignIn({ ui_locales: 'de-DE' }, { application });
    await look(page, 'german');
    const address = 'donaudampfschifffahrtselektrizitaetenhauptbetriebswerk@beamtengesellschaft.example';
    await page.getByLabel(/Benutzername/).fill(address);
    await press(page, 'Weiter');
    await look(page, 'german-password');
    for (let tries = 0; tries < 11; tries += 1) {
      await page.getByLabel('Passwort', { exact: true }).fill('not it');
      await press(page, 'Anmelden');
      await page.getByRole('heading', { name: 'Passwort eingeben' }).waitFor();
    }
    await page.getByText(/in 15 Minuten/).waitFor();
    await look(page, 'german-locked');
  });

  it('ask for an identifier that the account lacks', async () => {
    await stage.service.api.must('PATCH /sign-in-exp', {
      brandName: 'Acme',
      signUp: { identifiers: ['username'], requiredIdentifiers: ['email'], password: true },
    });
    const id = await stage.createUser({ username: 'max', password: PASSWORD });
    const { page, tokens } = await stage.startSignIn();
    await signIn(page, 'max', PASSWORD);
    await look(page, 'missing-profile');
    await page.getByLabel('Email address').fill('not an address');
    await press(page, 'Continue');
    await page.getByText('Enter a valid email address.').waitFor();
    const mails = stage.mailbox.mails.length;
    await page.getByLabel('Email address').fill('max@example.com');
    await press(page, 'Continue');
    await page.getByLabel('6-digit code').fill(await stage.mailbox.code(mails + 1));
    expect((await tokens()).claims()?.sub).toBe(id);
    await stage.receiver.next('User.Data.Updated');
    expect(await stage.service.api.must(`GET /users/${id}`)).toMatchObject({ primaryEmail: 'max@example.com' });
  });

  it('show the button as busy and send the form once', async () => {
    const { page } = await stage.startSignIn();
    const { promise: isShown, resolve: show } = Promise.withResolvers<void>();
    await page.route('**/identifier', async (route) => {
      await isShown;
      await route.continue();
    });
    await page.exposeFunction('show', show);
    await page.getByLabel(/Username/).fill('max');
    let posts = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') posts += 1;
    });
    // The page reports the change itself, because calls into it fail during a navigation.
    await page.evaluate(`new MutationObserver(() => show()).observe(document.body, {
      subtree: true,
      attributeFilter: ['aria-busy'],
    })`);
    await page.getByRole('button', { name: 'Continue' }).dblclick({ noWaitAfter: true });
    await page.getByRole('heading', { name: 'Enter your password' }).waitFor();
    expect(posts).toBe(1);
  });
});
