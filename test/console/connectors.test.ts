import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('connectors on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('can be created, edited, and deleted, without ever showing the client secret', async () => {
    const { page, service } = stage;
    const sealed = async () => (await stage.rows('connectors'))[0]?.clientSecretEncrypted;
    await stage.open('/settings/connectors/new');
    await stage.fill(/^Name/, 'Acme ID');
    await stage.fill(/^Target/, 'Acme ID');
    await stage.fill(/^Issuer/, 'https://id.example.com');
    await stage.fill(/^Client ID/, 'understudy');
    await stage.fill('Client secret', 'between the two');
    await stage.fill(/^Domains/, 'example.com');
    await press(page, 'Create connector');
    await page.getByText('Enter lowercase letters, digits, and hyphens only.').waitFor();
    await look(page, 'console-connector-fault');
    await stage.fill(/^Target/, 'acme');
    await stage.fill('Client secret', 'between the two');
    await press(page, 'Create connector');
    await stage.waitForStatus('Connector created.');
    await page.getByText(`${service.url}/sign-in/callback/acme`, { exact: true }).waitFor();
    expect(await page.content()).not.toContain('between the two');
    await look(page, 'console-connector');
    const first = await sealed();

    await stage.link('Edit').click();
    await stage.fill(/^Domains/, '');
    await press(page, 'Save changes');
    await stage.waitForStatus('Changes saved.');
    expect(await sealed()).toEqual(first);
    expect(await service.api.must('GET /connectors')).toMatchObject([{ target: 'acme', domains: [] }]);
    await stage.link('Edit').click();
    await stage.fill(/^New client secret/, 'another');
    await press(page, 'Save changes');
    await stage.waitForStatus('Changes saved.');
    expect(await sealed()).not.toEqual(first);

    await stage.open('/settings/connectors');
    await look(page, 'console-connectors');
    await stage.link('Acme ID').click();
    await stage.link('Delete').click();
    await press(page, 'Delete connector');
    await stage.waitForStatus('Connector “Acme ID” deleted.');
    expect(await stage.rows('connectors')).toEqual([]);
  });

  it('start from a preset, with the redirect URI to register before anything is saved', async () => {
    const { page, service } = stage;
    const shown = (target: string) => page.getByText(`${service.url}/sign-in/callback/${target}`, { exact: true });
    await stage.open('/settings/connectors/new');
    await shown('TARGET').waitFor();
    await stage.fill(/^Target/, 'dex');
    await shown('dex').waitFor();
    await page.getByRole('navigation', { name: 'Identity provider' }).getByRole('link', { name: 'Google' }).click();
    await page.getByRole('button', { name: 'Leave page' }).click();
    for (const [name, target, issuer] of [
      ['Google', 'google', 'https://accounts.google.com'],
      ['Microsoft', 'microsoft', 'https://login.microsoftonline.com/DIRECTORY-ID/v2.0'],
      ['GitHub', 'github', ''],
      ['GitLab', 'gitlab', 'https://gitlab.com'],
      ['Apple', 'apple', 'https://appleid.apple.com'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Identity provider' }).getByRole('link', { name }).click();
      await shown(target).waitFor();
      expect(await page.getByLabel(/^Name/).inputValue()).toBe(name);
      expect(await page.getByLabel(/^Issuer/).inputValue()).toBe(issuer);
      await page.getByRole('button', { name: `Copy ${service.url}/sign-in/callback/${target}` }).waitFor();
    }
    expect(await page.getByLabel(/^Scope/).inputValue()).toBe('openid');
    await stage.link('Google').click();
    await look(page, 'console-connector-preset');
    await stage.fill(/^Target/, 'google-work');
    await press(page, 'Create connector');
    await page.getByText('Enter a value.').first().waitFor();
    await shown('google-work').waitFor();
    expect(await page.getByText('Google Cloud console').count()).toBe(1);
    await stage.fill(/^Client ID/, 'understudy');
    await stage.fill('Client secret', 'between the two');
    await press(page, 'Create connector');
    await stage.waitForStatus('Connector created.');
    await shown('google-work').waitFor();
    expect(await service.api.must('GET /connectors')).toMatchObject([
      { name: 'Google', target: 'google-work', issuer: 'https://accounts.google.com', scope: 'openid profile email' },
    ]);
  });
});
