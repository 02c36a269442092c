import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLink } from '../../src/admin/administrators.ts';
import { hashOf } from '../../src/base/ids.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { press, signIn } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage, signUp } from './stage.ts';

const OWNER = { tenantIds: ['default'], role: 'owner' } as const;

describe.each(databases)('the console on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('makes a user the first administrator with a single-use link', async () => {
    const { page, service } = stage;
    expect(page.url()).toMatch(`${service.url}/console/default/`);
    const [user] = await stage.rows('users', { username: 'ada' });
    expect(await stage.rows('administrators')).toMatchObject([{ userId: user?.id, managedTenantId: 'default' }]);
    expect(await stage.rows('auditLog', { key: 'Console.Administrator.Add' })).toMatchObject([
      { userId: user?.id, payload: { tenantIds: ['default'], role: 'owner', by: 'link' } },
    ]);

    const again = await stage.browser.newPage();
    const response = await again.goto(service.credentials.administratorLink);
    expect(response?.status()).toBe(404);
    await again.getByText('was already used').waitFor();
    await look(again, 'console-link-used');
    await again.close();
  });

  it('accepts only one of two users who follow a link at the same time', async () => {
    const store = new TenantStore(stage.database, 'default');
    const link = `${stage.service.url}/console/-/join?link=${await createLink(store, OWNER, Date.now())}`;
    const pages = await Promise.all([1, 2].map(() => stage.browser.newPage()));
    await Promise.all(pages.map((page) => page.goto(link))); // Before the sign-ups: a used link responds 404.
    const headings = await Promise.all(
      pages.map(async (page, index) => {
        await signUp(page, `racer${index}`);
        return page.getByText(/^(Sign out|You are not signed in)$/).textContent();
      }),
    );
    expect(headings.sort()).toEqual(['Sign out', 'You are not signed in']);
    expect(await stage.rows('administrators')).toHaveLength(2);
    await Promise.all(pages.map((page) => page.close()));
  });

  it('rejects an expired link', async () => {
    const store = new TenantStore(stage.database, 'default');
    const link = await createLink(store, OWNER, Date.now() - 25 * 3_600_000);
    const response = await fetch(`${stage.service.url}/console/-/join?link=${link}`);
    expect(response.status).toBe(404);
  });

  it('stores only the hash of a session and limits its cookie to the console', async () => {
    const cookie = (await stage.context.cookies()).find(({ name }) => name === 'console_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/console' });
    const sessions = await stage.rows('consoleSessions');
    expect(sessions.map(({ id }) => id)).toContain(hashOf(cookie?.value ?? ''));
    expect(JSON.stringify(sessions)).not.toContain(cookie?.value);
  });

  it('requires a sign-in, returns to the requested page, and ends the session at sign-out', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.goto(stage.url('/settings/audit?logKey=nothing'));
    await signIn(page, 'ada', stage.password);
    await page.waitForURL(stage.url('/settings/audit?logKey=nothing'));
    await page.getByText('No entries match these filters.').waitFor();

    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await look(page, 'console-signed-out');
    await page.goto(`${stage.service.url}/console`);
    await page.getByLabel(/Username/).waitFor();
    await page.goto(`${stage.service.url}/account`);
    await page.getByLabel(/Username/).waitFor();
    await context.close();
  });

  it('denies access to users without a tenant and to suspended users', async () => {
    const { id } = await stage.service.api.must('POST /users', { username: 'norah', password: stage.password });
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${stage.service.url}/console`);
    await signIn(page, 'norah', stage.password);
    await page.getByRole('heading', { name: 'No tenants to manage' }).waitFor();
    await look(page, 'console-no-tenant');

    await new TenantStore(stage.database, 'default').add('administrators', [
      { userId: id, managedTenantId: 'default', createdAt: Date.now() },
    ]);
    await page.goto(`${stage.service.url}/console`);
    await page.waitForURL(stage.url('/**'));
    await stage.service.api.must(`PATCH /users/${id}/is-suspended`, { isSuspended: true });
    await page.goto(stage.url('/settings/audit'));
    await page.getByLabel(/Username/).waitFor();
    await context.close();
  });

  it('shows the audit log, refreshes it, and has keyboard shortcuts', async () => {
    const { page, service } = stage;
    await page.goto(stage.url('/settings/audit'));
    await page.getByRole('row').getByRole('link', { name: 'ada', exact: true }).first().waitFor();
    await look(page, 'console-audit');
    await service.api.must('POST /roles', { name: 'Clerk', description: 'Live' });
    await page.getByRole('link', { name: 'Created role' }).first().waitFor();
    await page.getByRole('link', { name: 'Created role' }).first().click();
    await page.getByText('JSON').click();
    await look(page, 'console-audit-entry');

    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await look(page, 'console-keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForURL(stage.url('/settings/*'));
    await page.goto(stage.url('/settings/audit'));
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('logKey');
  });

  it('works without JavaScript', async () => {
    const context = await stage.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(stage.url('/directory/roles/new'));
    await signIn(page, 'ada', stage.password);
    await page.getByLabel('Name').fill('Scriptless');
    await page.getByLabel('Description').fill('Made without a script');
    await press(page, 'Create role');
    await page.getByText('Role created.').waitFor();
    expect(await stage.rows('roles', { name: 'Scriptless' })).toHaveLength(1);
    await page.getByText('JSON').click();
    await page.getByText('"Made without a script"').waitFor();
    await context.close();
  });

  it('has a menu on a phone', async () => {
    const { page } = stage;
    await page.setViewportSize({ width: 390, height: 760 });
    await page.goto(stage.url('/settings/audit'));
    await press(page, 'Menu');
    await look(page, 'console-menu');
    await page.getByRole('link', { name: 'Directory' }).click();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
  });
});
