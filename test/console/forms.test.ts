import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { press, signIn } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('forms of the console on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    const { id } = await stage.service.api.must('POST /users', { username: 'eve', password: stage.password });
    const administrator = { userId: id, managedTenantId: 'default', createdAt: Date.now() };
    await new TenantStore(stage.database, 'default').add('administrators', [administrator]);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Takes screenshots with SQLite only: the pages look the same with PostgreSQL. */
  const picture = async (page: Page, name: string) => {
    if (kind !== 'sqlite') return;
    await look(page, name);
    await page.setViewportSize({ width: 1000, height: 760 });
  };
  const endSession = () => stage.context.clearCookies({ name: 'console_session' });

  it('show all faults at once, each at its field, and focus the first', async () => {
    const { page } = stage;
    await stage.open('/directory/users/new');
    await stage.fill(/^Username/, '1 bad name');
    await stage.fill(/^Email address/, 'nope');
    await stage.fill(/^Phone number/, '+49 151');
    await stage.fill(/^Custom data/, '{bad');
    await press(page, 'Create user');
    await page.getByText('Start with a letter or an underscore.').waitFor();
    const faults = ['username', 'primaryEmail', 'primaryPhone', 'customData'].map((name) => `${name}-fault`);
    expect(await page.evaluate(`[...document.querySelectorAll('.fault')].map(({ id }) => id)`)).toEqual(faults);
    expect(await page.evaluate('document.activeElement.id')).toBe('username');
    await picture(page, 'forms-faults');

    await stage.open('/webhooks/new');
    await stage.fill('Endpoint URL', 'not a url');
    await stage.fill(/^Custom headers/, 'Authorization');
    await press(page, 'Create webhook');
    await page.locator('[id="config.url-fault"]').waitFor();
    await page.getByText('The header Authorization (without a colon) is not valid.').waitFor();
    await page.getByText('A webhook needs at least one event.', { exact: false }).waitFor();
    expect(await page.locator('#name-fault').textContent()).toBe('Enter a value.');
    expect(await page.evaluate('document.activeElement.id')).toBe('name');
    await stage.fill('Name', 'Faulty');
    await stage.fill('Endpoint URL', 'https://example.com');
    await stage.fill(/^Custom headers/, '');
    await press(page, 'Create webhook');
    await page.locator('#events-fault').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('events');
  });

  it('warn before they are left with changes', async () => {
    const { page } = stage;
    await stage.open('/webhooks/new');
    await stage.link('Overview').click();
    await page.waitForURL(stage.url('/overview'));

    await stage.open('/webhooks/new');
    await stage.fill('Name', 'Half written');
    await stage.link('Overview').click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.waitFor();
    await picture(page, 'forms-leave');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Stay on this page');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Half written');

    // Another form of the page, such as the one to sign out, would lose the changes too.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dialog.getByRole('button', { name: 'Stay on this page' }).click();
    await stage.link('Overview').click();
    await dialog.getByRole('button', { name: 'Leave page' }).click();
    await page.waitForURL(stage.url('/overview'));
  });

  it('warn before the tab is closed', async () => {
    const page = await stage.context.newPage();
    await page.goto(stage.url('/directory/roles/new'));
    await page.getByLabel('Name').click();
    await page.keyboard.type('Half');
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    expect(await page.getByLabel('Name').inputValue()).toBe('Half');
    await page.close();
  });

  it('return to their author after the session has ended, without passwords, and save only when sent again', async () => {
    const { page } = stage;
    await stage.open('/directory/users/new');
    await stage.fill(/^Username/, 'kept');
    await stage.fill(/^Password/, 'never kept anywhere');
    await stage.fill(/^Custom data/, '{ "note": "<b>typed</b>" }');
    await endSession();
    await press(page, 'Create user');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await picture(page, 'forms-session-ended');
    await stage.link('Sign in').click();
    await signIn(page, 'ada', stage.password);
    await page.getByText('Your session had ended, so nothing was saved.').waitFor();
    expect(page.url()).toBe(stage.url('/directory/users/new'));
    expect(await page.getByLabel(/^Username/).inputValue()).toBe('kept');
    expect(await page.getByLabel(/^Custom data/).inputValue()).toBe('{ "note": "<b>typed</b>" }');
    expect(await page.getByLabel(/^Password/).inputValue()).toBe('');
    expect(await stage.rows('users', { username: 'kept' })).toEqual([]);
    await press(page, 'Create user');
    await stage.waitForStatus('User created.');
  });

  it('show nothing to another person who signs in in the same browser', async () => {
    const { page } = stage;
    await stage.open('/directory/roles/new');
    await stage.fill('Name', 'Only for Ada');
    await endSession();
    await press(page, 'Create role');
    await stage.link('Sign in').click();
    await signIn(page, 'eve', stage.password);
    await page.waitForFunction('location.pathname.endsWith("/roles/new") && sessionStorage.length === 0');
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.content()).not.toContain('Only for Ada');
    await endSession();
    await stage.open('/overview');
    await signIn(page, 'ada', stage.password);
  });

  it('are shown again if the author signed in again in another tab', async () => {
    const { page, context } = stage;
    await stage.open('/directory/roles/new');
    await stage.fill('Name', 'Two tabs');
    await endSession();
    const other = await context.newPage();
    await other.goto(stage.url('/overview'));
    await signIn(other, 'ada', stage.password);
    await other.close();
    await press(page, 'Create role');
    await page.getByText('Your session had ended, so nothing was saved.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Two tabs');
    await stage.fill('Description', 'Sent again');
    await press(page, 'Create role');
    await stage.waitForStatus('Role created.');
  });

  it('survive the end of a session without JavaScript, with a sign-in in a new tab', async () => {
    const context = await stage.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(stage.url('/directory/roles/new'));
    await signIn(page, 'ada', stage.password);
    await page.getByLabel('Name').fill('Plain');
    await page.getByLabel('Description').fill('No script');
    await context.clearCookies({ name: 'console_session' });
    await press(page, 'Create role');
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await signIn(tab, 'ada', stage.password);
    await tab.close();
    await press(page, 'Continue');
    expect(await page.getByLabel('Name').inputValue()).toBe('Plain');
    expect(await stage.rows('roles', { name: 'Plain' })).toEqual([]);
    await press(page, 'Create role');
    await page.getByText('Role created.').waitFor();
    await context.close();
  });

  it('keep what others changed meanwhile, and show it where both changed the same', async () => {
    const { page, service } = stage;
    const { id } = await service.api.must('POST /users', { username: 'shared', name: 'First' });
    await stage.open(`/directory/users/${id}/edit`);
    await service.api.must(`PATCH /users/${id}`, { name: 'Theirs', primaryPhone: '12025550123' });
    await stage.fill(/^Email address/, 'shared@example.com');
    await press(page, 'Save changes');
    await stage.waitForStatus('Changes saved.');
    const saved = { name: 'Theirs', primaryPhone: '12025550123', primaryEmail: 'shared@example.com' };
    expect(await stage.rows('users', { id })).toMatchObject([saved]);

    await stage.open(`/directory/users/${id}/edit`);
    const other = await stage.context.newPage();
    await other.goto(stage.url(`/directory/users/${id}/edit`));
    await other.getByLabel(/^Name/).fill('Of the other tab');
    await press(other, 'Save changes');
    await other.close();
    await stage.fill(/^Name/, 'Mine');
    await press(page, 'Save changes');
    await page.getByText('ada changed this while you were editing. It is “Of the other tab” now.').waitFor();
    await picture(page, 'forms-conflict');
    expect(await page.getByLabel(/^Name/).inputValue()).toBe('Mine');
    expect(await stage.rows('users', { id })).toMatchObject([{ name: 'Of the other tab' }]);
    await press(page, 'Save changes');
    await stage.waitForStatus('Changes saved.');
    expect(await stage.rows('users', { id })).toMatchObject([{ ...saved, name: 'Mine' }]);
  });

  it('list the keyboard shortcuts in a dialog that has the focus', async () => {
    const { page } = stage;
    await stage.open('/overview');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('keys');
  });
});
