import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { getJson } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('settings on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('change the sign-in pages', async () => {
    const { page, service } = stage;
    await stage.open('/settings/sign-in');
    await look(page, 'console-sign-in-settings');
    await page.getByLabel('Minimum password length').fill('4');
    await press(page, 'Save settings');
    await page.getByText('Enter 8 or more.').waitFor();
    await page.getByLabel('Minimum password length').fill('10');
    await press(page, 'Save settings');
    await stage.waitForStatus('Settings saved.');
    expect(await service.api.must('GET /sign-in-exp')).toMatchObject({
      passwordPolicy: { minLength: 10, rejectCommon: true },
      mfa: { factors: ['Totp', 'WebAuthn', 'BackupCode'] },
    });
  });

  it('rotate the signing keys', async () => {
    const { page, service } = stage;
    const published = async () => (await getJson(`${service.url}/oidc/jwks`)).keys.length;
    await stage.open('/settings/keys');
    await stage.link('Rotate keys').click();
    await look(page, 'console-rotate');
    await press(page, 'Rotate keys');
    await stage.waitForStatus('New key published. It starts signing after about 5 minutes.');
    expect(await published()).toBe(2);
    await look(page, 'console-keys-list');
    await page.getByRole('link', { name: /^Delete / }).click();
    await press(page, 'Delete key');
    await stage.waitForStatus('Key deleted.');
    expect(await published()).toBe(1);

    await stage.link('Edit schedule').click();
    await page.getByLabel(/^Rotation interval/).fill('often');
    await press(page, 'Save schedule');
    await page.getByText('Enter a number.').waitFor();
    await page.getByLabel(/^Rotation interval/).fill('90');
    await press(page, 'Save schedule');
    await page.getByText('Keys are rotated every 90 days.').waitFor();
    expect(await stage.rows('configs', { key: 'key-rotation' })).toMatchObject([{ settings: { rotationDays: 90 } }]);
  });

  it('create a tenant that only its creator manages', async () => {
    const { page, service } = stage;
    await stage.open('/settings/tenants');
    await look(page, 'console-tenants');
    await stage.link('New tenant').click();
    await page.getByLabel('Name').fill('Acme');
    await page.getByLabel(/^ID/).fill('acme');
    await page.getByLabel('Endpoints').fill('localhost:47310/acme');
    await press(page, 'Create tenant');
    await page.getByText('Enter a full URL, such as https://example.com.').waitFor();
    await page.getByLabel('Endpoints').fill(`${service.url}/console`);
    await press(page, 'Create tenant');
    await page.getByText('must not contain a path segment', { exact: false }).waitFor();
    await page.getByLabel('Endpoints').fill(`${service.url}/acme`);
    await press(page, 'Create tenant');
    await page.getByText('Copy them now').waitFor();
    await look(page, 'console-tenant-made');

    await page.getByRole('button', { name: 'Tenant Default: switch tenant' }).click();
    await look(page, 'console-tenant-switch');
    await page.getByRole('link', { name: /Acme/ }).first().click();
    await page.waitForURL(`${service.url}/console/acme/**`);
    await page.goto(`${service.url}/console/acme/directory/users/new`);
    await page.getByLabel(/^Username/).fill('zoe');
    await press(page, 'Create user');
    await stage.waitForStatus('User created.');
    const users: { tenantId: string }[] = await stage.database.reader('users').where({ username: 'zoe' });
    expect(users.map(({ tenantId }) => tenantId)).toEqual(['acme']);
    expect((await page.goto(`${service.url}/console/acme/settings/tenants`))?.status()).toBe(404);

    await stage.open('/settings/tenants/acme');
    await press(page, 'Suspend tenant');
    await stage.waitForStatus(/Tenant suspended/);
    expect((await fetch(`${service.url}/acme/oidc/jwks`)).status).toBe(403);
    await press(page, 'Undo');
    await stage.waitForStatus('Tenant reactivated.');
    await stage.link('Delete').click();
    await press(page, 'Delete tenant');
    await stage.waitForStatus('Tenant “Acme” deleted.');
    expect((await page.goto(`${service.url}/console/acme`))?.status()).toBe(404);
  });

  it('change the Management API indicator and keep the previous one valid', async () => {
    const { service, page } = stage;
    await stage.open('/settings/tenants/default');
    await page.getByText(`${service.url}/api`).first().waitFor();
    await stage.link('Edit').click();
    await stage.fill('Management API indicator', 'https://id.example/api');
    await press(page, 'Save changes');
    await page.getByText('https://id.example/api').first().waitFor();
    const aliases: { indicator: string }[] = await stage.database
      .reader('resourceAliases')
      .where({ tenantId: 'default' });
    expect(aliases.map(({ indicator }) => indicator)).toEqual([`${service.url}/api`]);
  });

  it('refuse to delete the default tenant', async () => {
    const { page } = stage;
    await stage.open('/settings/tenants/default/delete');
    await press(page, 'Delete tenant');
    await page.getByText(new ServiceError('tenant.is_default').message).waitFor();
    await look(page, 'console-refused');
  });
});
