import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 4"><rect width="9" height="4" fill="teal"/></svg>';

describe.each(databases)('the brand page on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('shows changes in the preview before they are saved', async () => {
    const { page, service } = stage;
    await stage.open('/settings/brand');
    const light = page.frameLocator('iframe[name=preview-light]');
    const dark = page.frameLocator('iframe[name=preview-dark]');
    await light.getByRole('heading', { name: 'Sign in to Default' }).waitFor();
    const backgroundIn = (frame: typeof light) =>
      frame.locator('body').evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await backgroundIn(light)).not.toBe(await backgroundIn(dark));

    await page.getByLabel('Brand name').fill('Acme');
    await page.getByLabel('Brand color', { exact: true }).fill('#0f766e');
    await light.getByRole('heading', { name: 'Sign in to Acme' }).waitFor();
    await page.getByLabel(/^Custom CSS/).fill('.page { background: rgb(1, 2, 3) }');
    await expect.poll(() => light.locator('.page.custom').count()).toBe(1);
    expect(
      await light.locator('.page').evaluate('getComputedStyle(document.querySelector(".page")).backgroundColor'),
    ).toBe('rgb(1, 2, 3)');
    await page.getByLabel(/^Custom CSS/).fill('.card { display: none }');
    await light.getByText('is not allowed for .card').waitFor();
    expect((await service.api.must('GET /sign-in-exp')).brandName).toBe('Default');

    await press(page, 'Save brand');
    await page.getByText('is not allowed for .card').first().waitFor();
    await page.getByLabel(/^Custom CSS/).fill('');
    await page.getByLabel(/^Terms of service/).fill('https://acme.example/terms');
    await press(page, 'Save brand');
    await stage.waitForStatus('Brand saved.');
    if (kind === 'sqlite') await look(page, 'console-brand');
    expect(await service.api.must('GET /sign-in-exp')).toMatchObject({
      brandName: 'Acme',
      color: { primaryColor: '#0f766e' },
      customCss: null,
      termsOfUseUrl: 'https://acme.example/terms',
      languageInfo: { autoDetect: true },
    });
  });

  it('uploads a logo, which the preview shows, and deletes it', async () => {
    const { page, service } = stage;
    await stage.open('/settings/brand');
    await page
      .getByLabel('Logo', { exact: true })
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('GIF89a') });
    await press(page, /^Upload logo$/);
    await page.getByText(/must be a PNG, JPEG or WebP image/i).waitFor();
    await page
      .getByLabel('Logo', { exact: true })
      .setInputFiles({ name: 'x', mimeType: 'text/plain', buffer: Buffer.from(SVG) });
    await press(page, /^Upload logo$/);
    await stage.waitForStatus('Image uploaded.');
    const logo = page.frameLocator('iframe[name=preview-dark]').getByRole('img', { name: /./ });
    await expect
      .poll(() => logo.evaluate('document.querySelector(".brand img")?.naturalWidth ?? 0'))
      .toBeGreaterThan(0);
    await press(page, /^Delete logo$/);
    await stage.waitForStatus('Image deleted.');
    expect((await service.api.must('GET /sign-in-exp')).images).toEqual({});
  });

  it('replaces texts of a language', async () => {
    const { page, service } = stage;
    await stage.open('/settings/brand/texts?language=de');
    await page.getByLabel('signIn.title').fill('Hallo');
    await press(page, 'Save texts');
    await page.getByText('Must contain {brand}.').waitFor();
    await page.getByLabel('signIn.title').fill('Hallo bei {brand}');
    if (kind === 'sqlite') await look(page, 'console-brand-texts');
    await press(page, 'Save texts');
    await stage.waitForStatus('Texts saved.');
    expect((await service.api.must('GET /sign-in-exp')).customTexts).toEqual({
      de: { 'signIn.title': 'Hallo bei {brand}' },
    });
    const german = await fetch(service.url, { headers: { accept: 'text/html', 'accept-language': 'de' } });
    expect(await german.text()).toContain('Willkommen bei Acme');
  });

  it('keeps what another administrator changed while a form was open', async () => {
    const { page, service } = stage;
    await service.api.must('PATCH /sign-in-exp', { customTexts: {}, privacyPolicyUrl: null });
    await stage.open('/settings/brand');
    await service.api.must('PATCH /sign-in-exp', { privacyPolicyUrl: 'https://acme.example/privacy' });
    await page.getByLabel('Brand name').fill('Acme 2');
    await press(page, 'Save brand');
    await stage.waitForStatus('Brand saved.');

    await stage.open('/settings/brand/texts?language=fr');
    const customTexts = { fr: { 'home.lead': 'Bonjour' } };
    await service.api.must('PATCH /sign-in-exp', { customTexts });
    await page.getByLabel('forgot.lead').fill('Un code');
    await press(page, 'Save texts');
    await stage.waitForStatus('Texts saved.');
    expect(await service.api.must('GET /sign-in-exp')).toMatchObject({
      brandName: 'Acme 2',
      privacyPolicyUrl: 'https://acme.example/privacy',
      customTexts: { fr: { 'home.lead': 'Bonjour', 'forgot.lead': 'Un code' } },
    });

    await stage.open('/settings/brand/texts?language=fr');
    await service.api.must('PATCH /sign-in-exp', { customTexts: { fr: { 'home.lead': 'Salut' } } });
    await page.getByLabel('home.lead').fill('Coucou');
    await press(page, 'Save texts');
    await page.getByText('changed this while you were editing').waitFor();
  });

  it('refuses control characters in a form with a file, as in any other form', async () => {
    const { page } = stage;
    await stage.open('/settings/brand');
    const [status, text] = (await page.evaluate(`(async () => {
      const form = new FormData();
      form.set('csrf', document.querySelector('[name=csrf]').value);
      form.set('user', 'ada\\0');
      form.set('role', 'viewer');
      form.set('file', new Blob(['x']));
      const response = await fetch('${stage.url('/settings/administrators/add')}', { method: 'POST', body: form });
      return [response.status, await response.text()];
    })()`)) as [number, string];
    expect([status, text]).toEqual([400, expect.stringContaining('control characters')]);
  });
});
