import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { getJson } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the settings on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('change the sign-in pages', async () => {
    const { page, service } = stage;
    await stage.open('/settings/sign-in');
    await look(page, 'console-sign-in-settings');
    await page.getByLabel('Colour').fill('red');
    await press(page, 'Save');
    await page.getByText('This is not in the form it needs.').waitFor();
    await page.getByLabel('Colour').fill('#0f766e');
    await page.getByLabel('Brand').fill('Acme');
    await press(page, 'Save');
    await stage.said('Saved.');
    expect(await service.api.must('GET /sign-in-exp')).toMatchObject({
      brandName: 'Acme',
      color: { primaryColor: '#0f766e' },
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'] },
    });
  });

  it('rotate the signing keys', async () => {
    const { page, service } = stage;
    const published = async () => (await getJson(`${service.url}/oidc/jwks`)).keys.length;
    await stage.open('/settings/keys');
    await stage.link('Rotate').click();
    await look(page, 'console-rotate');
    await press(page, 'Rotate');
    await stage.said('The next step of the rotation was taken.');
    expect(await published()).toBe(2);
    await look(page, 'console-keys-list');
    await page.getByRole('link', { name: /^Delete / }).click();
    await press(page, 'Delete key');
    await stage.said('The key was deleted.');
    expect(await published()).toBe(1);

    await stage.link('Change').click();
    await page.getByLabel(/^Replace keys/).fill('often');
    await press(page, 'Save');
    await page.getByText('Enter a number.').waitFor();
    await page.getByLabel(/^Replace keys/).fill('90');
    await press(page, 'Save');
    await page.getByText('Keys are replaced after 90 days.').waitFor();
    expect(await stage.rows('configs', { key: 'key-rotation' })).toMatchObject([{ settings: { rotationDays: 90 } }]);
  });

  it('make a tenant, which its maker then manages, and no other administrator', async () => {
    const { page, service } = stage;
    await stage.open('/settings/tenants');
    await look(page, 'console-tenants');
    await stage.link('New tenant').click();
    await page.getByLabel('Name').fill('Acme');
    await page.getByLabel(/^Id/).fill('acme');
    await page.getByLabel('Endpoints').fill(`${service.url}/console`);
    await press(page, 'Create tenant');
    await page.getByText('its path holds a word', { exact: false }).waitFor();
    await page.getByLabel('Endpoints').fill(`${service.url}/acme`);
    await press(page, 'Create tenant');
    await page.getByText('Copy it now').waitFor();
    await look(page, 'console-tenant-made');

    await page.getByRole('button', { name: 'Tenant Default: choose another' }).click();
    await look(page, 'console-tenant-switch');
    await page.getByRole('link', { name: /Acme/ }).first().click();
    await page.waitForURL(`${service.url}/console/acme/**`);
    await page.goto(`${service.url}/console/acme/directory/users/new`);
    await page.getByLabel(/^Username/).fill('zoe');
    await press(page, 'Create user');
    await stage.said('A user was created.');
    const users: { tenantId: string }[] = await stage.database.reader('users').where({ username: 'zoe' });
    expect(users.map(({ tenantId }) => tenantId)).toEqual(['acme']);
    expect((await page.goto(`${service.url}/console/acme/settings/tenants`))?.status()).toBe(404);

    await stage.open('/settings/tenants/acme');
    await press(page, 'Suspend');
    await stage.said(/Suspended/);
    expect((await fetch(`${service.url}/acme/oidc/jwks`)).status).toBe(403);
    await press(page, 'Undo');
    await stage.said('This tenant is served again.');
    await stage.link('Delete').click();
    await press(page, 'Delete Acme');
    await stage.said('Acme was deleted.');
    expect((await page.goto(`${service.url}/console/acme`))?.status()).toBe(404);
  });

  it('move the indicator of a Management API without ending the one before', async () => {
    const { service, page } = stage;
    await stage.open('/settings/tenants/default');
    await page.getByText(`${service.url}/api`).first().waitFor();
    await stage.link('Change').click();
    await stage.fill('Management API indicator', 'https://id.example/api');
    await press(page, 'Save');
    await page.getByText('https://id.example/api').first().waitFor();
    const aliases: { indicator: string }[] = await stage.database
      .reader('resourceAliases')
      .where({ tenantId: 'default' });
    expect(aliases.map(({ indicator }) => indicator)).toEqual([`${service.url}/api`]);
  });

  it('say that the default tenant stays', async () => {
    const { page } = stage;
    await stage.open('/settings/tenants/default/delete');
    await press(page, 'Delete Default');
    await page.getByText('The default tenant cannot be suspended or deleted.').waitFor();
    await look(page, 'console-refused');
  });
});
