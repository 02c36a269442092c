import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/catalogue.ts';
import { operations } from '../../src/management/index.ts';
import { expectAccessible, launchBrowser, look, type OwnBrowser } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('the API reference on %s', (kind) => {
  let service: TestService;
  let browser: OwnBrowser;
  let page: Page;
  /** Errors that the browser reports, such as a violation of the content security policy. */
  const faults: string[] = [];

  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1000, height: 760 }, locale: 'en-US' });
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
  });
  afterAll(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });

  const open = (path: string) => page.goto(`${service.url}/api/${path}`);
  const authorize = async (clientSecret: string) => {
    await page.getByText('Authorize', { exact: true }).click();
    await page.getByLabel('Client ID').fill(service.credentials.machine.clientId);
    await page.getByLabel('Client secret').fill(clientSecret);
    await page.getByRole('button', { name: 'Get token' }).click();
  };

  it('gets a token and sends a request, from each of its pages', async () => {
    await open('docs');
    await authorize('guessed');
    await expect
      .poll(() => page.locator('#authorized').textContent())
      .toMatch(/client authentication failed|invalid secret/i);
    await page.getByLabel('Client secret').fill(service.credentials.machine.clientSecret);
    await page.keyboard.press('Enter');
    await page.getByText('You have a token for 60 minutes.').waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click();
    const section = page.getByRole('region', { name: 'Create a user', exact: true });
    await section.getByText('Send a request').click();
    await section.getByLabel('Body').fill('{ "username": "grace", "name": "<img src=x>" }');
    await section.getByRole('button', { name: /Send request/ }).click();
    await section.getByText(/^200 OK, \d+ ms$/).waitFor();
    const [user] = await service.api.must('GET /users?search.username=grace');
    expect(await section.locator('[data-response] pre').textContent()).toContain(`"id": "${user.id}"`);
    expect(await page.locator('img').count()).toBe(0);

    const reading = page.getByRole('region', { name: 'Get a user', exact: true });
    await reading.getByText('Send a request').click();
    await reading.getByLabel('userId').fill(user.id);
    await reading.getByRole('button', { name: /Send request/ }).click();
    await reading.getByText(/^200 OK/).waitFor();

    await page.getByText('Authorized', { exact: true }).click();
    await page.getByRole('button', { name: 'Forget token' }).click();
    await reading.getByRole('button', { name: /Send request/ }).click();
    await reading.getByText('Get a token first').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    // The browser logs the refused request of the wrong secret.
    expect(faults.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('finds operations by name and by path', async () => {
    await open('docs');
    await page.keyboard.press('/');
    await page.keyboard.type('suspend');
    const links = page.getByRole('navigation').getByRole('link');
    await expect.poll(() => links.allTextContents()).toEqual(['Users', 'Suspend or reactivate a user']);
    await page.getByText('1 operation', { exact: true }).waitFor();
    await page.getByLabel('Find an operation').fill('patch custom-data');
    await expect.poll(() => links.count()).toBe(4);
    await links.last().click();
    await page.waitForURL(/docs\/applications#patchApplicationsByIdCustomData$/);
  });

  it('can be read without JavaScript: every operation once, and every event', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const reader = await context.newPage();
    await reader.goto(`${service.url}/api/docs`);
    const hrefs = await reader
      .locator('main .list a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    const routes: string[] = [];
    for (const href of hrefs) {
      await reader.goto(`${service.url}/api/${href}`);
      routes.push(...(await reader.locator('.route').allTextContents()));
    }
    expect(routes.toSorted()).toEqual(
      operations.map(({ method, path }) => `${method} /api${path.replace(/:(\w+)/g, '{$1}')}`).toSorted(),
    );
    expect(await reader.locator('.operation > h2').allTextContents()).toEqual(eventTypes);
    expect(await reader.getByText('Send a request').first().isVisible()).toBe(false);
    await context.close();
  });

  it.runIf(kind === 'sqlite')('is accessible, in light, dark and on a phone', async () => {
    await open('docs');
    await look(page, 'reference');
    for (const slug of ['users', 'events', 'webhooks']) {
      await open(`docs/${slug}`);
      await look(page, `reference-${slug}`);
    }
    await page.evaluate("for (const each of document.querySelectorAll('details:not([name])')) each.open = true");
    await expectAccessible(page);
  });

  it('is public, strict about scripts, and has relative addresses', async () => {
    const response = await fetch(`${service.url}/api/docs/users`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    const addresses = [...html.matchAll(/(?:src|href)="([^"#]+)/g)].map(([, address = '']) => address);
    expect(addresses.filter((address) => /^(?:\/|https?:)/.test(address))).toEqual([]);
    for (const address of new Set(addresses.filter((address) => !address.startsWith('data:'))))
      expect((await fetch(new URL(address, `${service.url}/api/docs/users`))).status, address).toBe(200);
    expect((await fetch(`${service.url}/api/docs/nothing`)).status).toBe(401);
    expect((await fetch(`${service.url}/admin/api/docs`)).status).toBe(200);
    expect((await fetch(`${service.url}/admin/api/docs/tenants`)).status).toBe(200);
  });
});
