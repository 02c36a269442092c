import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, look } from '../support/browser.ts';
import { ManagementClient } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe.each(databases)('the base URL opened in a browser, on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    const token = await new ManagementClient(
      service.url,
      `${service.url}/admin/api`,
      service.credentials.operator,
    ).token('tenants');
    const made = await fetch(`${service.url}/admin/api/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'acme', name: 'Acme & Sons', endpoints: [`${service.url}/acme`] }),
    });
    expect(made.status).toBe(201);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const open = async (path: string, headers: Record<string, string> = { accept: BROWSER }) => {
    const response = await fetch(`${service.url}${path}`, { headers });
    const text = await response.text();
    return {
      status: response.status,
      text,
      headers: response.headers,
      links: [...text.matchAll(/<a [^>]*href="([^"?]+)"/g)].map(([, href]) => href),
    };
  };

  it('links to the console, the account page and the API reference', async () => {
    const { status, links, headers } = await open('/');
    expect([status, links]).toEqual([200, ['/console', '/account', '/api/docs']]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('vary')).toContain('Accept');
    for (const link of links)
      expect((await fetch(`${service.url}${link}`, { redirect: 'manual' })).status, link).toBeLessThan(400);
  });

  it.each(['/acme', '/acme/'])(
    'links to the same pages, except the console, at the path of a tenant: %s',
    async (path) => {
      const { status, links, text } = await open(path);
      expect(status).toBe(200);
      expect(links).toEqual(['/acme/account', '/acme/api/docs', '/acme/oidc/.well-known/openid-configuration']);
      expect(text).toContain('Acme &amp; Sons');
      for (const link of links)
        expect((await fetch(`${service.url}${link}`, { redirect: 'manual' })).status, link).toBeLessThan(400);
    },
  );

  it('returns 404 as JSON to API clients', async () => {
    for (const headers of [
      { accept: 'application/json' },
      { accept: '*/*' },
      { accept: `application/json, ${BROWSER}` },
    ]) {
      const { status, text } = await open('/', headers);
      expect([status, JSON.parse(text).code]).toEqual([404, 'request.not_found']);
    }
    expect((await open('/nowhere')).status).toBe(404);
    expect((await fetch(service.url, { method: 'POST', headers: { accept: BROWSER } })).status).toBe(404);
  });

  it('uses the language of the browser and the style of the other pages', async () => {
    expect((await open('/', { accept: BROWSER, 'accept-language': 'de' })).text).toContain('<html lang="de">');
    const browser = await launchBrowser();
    const page = await browser.newPage({ locale: 'en-US' });
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Console' }).waitFor();
    if (kind === 'sqlite') await look(page, 'home');
    await browser.close();
  });
});
