import { beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import type { TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import type { Mailbox } from './mailbox.ts';
import { startMailedService } from './mailed-service.ts';
import { secondTenant } from './second-tenant.ts';
import { authorization, Visitor } from './visitor.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** One transparent pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const SVG = base64('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>');

describe.each(databases)('the brand of a tenant on %s', (kind) => {
  let mailbox: Mailbox;
  let service: TestService;
  beforeAll(async () => {
    const mailed = await startMailedService(kind);
    ({ mailbox, service } = mailed);
    return mailed.close;
  });

  const start = async (headers: Record<string, string> = {}, parameters: Record<string, string> = {}) => {
    const visitor = new Visitor(service.url);
    Object.assign(visitor.headers, headers);
    const page = await visitor.open((await authorization(service, parameters)).url);
    return { visitor, page };
  };

  it('shows the uploaded images, and serves them so that nothing in them runs', async () => {
    const { images } = await service.api.must('PUT /sign-in-exp/images/logo', { content: SVG });
    const { images: both } = await service.api.must('PUT /sign-in-exp/images/favicon', { content: PNG });
    expect(both).toEqual({ logo: images.logo, favicon: expect.stringMatching(/favicon\.[0-9a-f]{16}\.png$/) });
    const { page } = await start();
    expect(page.html).toContain(`<img src="${new URL(images.logo).pathname}" alt="Default">`);
    expect(page.html).toContain(`<link rel="icon" href="${new URL(both.favicon).pathname}">`);

    const logo = await fetch(images.logo);
    expect(Object.fromEntries(logo.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringContaining('immutable'),
    });
    expect(Buffer.from(await logo.arrayBuffer()).toString('base64')).toBe(SVG);

    const { api } = await secondTenant(service);
    const elsewhere = images.logo.replace(service.url, `${service.url}/idp`);
    expect((await fetch(elsewhere)).status).toBe(404);
    expect((await api.must('GET /sign-in-exp')).images).toEqual({});

    expect((await service.api.call('DELETE /sign-in-exp/images/logo')).status).toBe(204);
    expect((await fetch(images.logo)).status).toBe(404);
    expect((await service.api.call('DELETE /sign-in-exp/images/logo')).status).toBe(404);
    expect((await start()).page.html).not.toContain('alt="Default"');
  });

  it.each([
    ['a page', base64('<html><body>Hi</body></html>')],
    ['a script in SVG', base64('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an event handler in SVG', base64('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['HTML in SVG', base64('<svg><foreignObject><body/></foreignObject></svg>')],
    ['entities in SVG', base64('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')],
    ['a reference to another host in SVG', base64('<svg><image href="https://evil.example/x.png"/></svg>')],
    ['a declaration before another document', base64('<?xml version="1.0"?><html><svg/></html>')],
    ['more than 128 KiB', Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(128 * 1024)]).toString('base64')],
    ['text that is not base64', 'data:image/png;base64,AAAA'],
  ])('refuses %s as an image', async (_what, content) => {
    const { status, body } = await service.api.call('PUT /sign-in-exp/images/logo', { content });
    expect([status, body.code, body.details]).toEqual([
      400,
      'guard.invalid_input',
      expect.stringMatching(/^body\.content/),
    ]);
  });

  it('links to the terms and the privacy policy, by https only', async () => {
    for (const termsOfUseUrl of ['http://acme.example', 'javascript:alert(1)', 'https://a"onclick="x', 'acme.example'])
      expect((await service.api.call('PATCH /sign-in-exp', { termsOfUseUrl })).status, termsOfUseUrl).toBe(400);
    const links = { termsOfUseUrl: 'https://acme.example/terms?a=1&b=2', privacyPolicyUrl: null };
    await service.api.must('PATCH /sign-in-exp', links);
    const { page } = await start();
    expect(page.html).toContain(
      'href="https://acme.example/terms?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"',
    );
    expect(page.text).toContain('Terms of service');
    expect(page.text).not.toContain('Privacy policy');
  });

  it('applies custom CSS from a file of the tenant, but not on the page that asks for consent', async () => {
    const refused = await service.api.call('PATCH /sign-in-exp', { customCss: '.card { display: none }' });
    expect([refused.status, refused.body.details]).toEqual([400, expect.stringContaining('display: none')]);
    await service.api.must('PATCH /sign-in-exp', { customCss: '.page { background: #0f766e }' });
    const { visitor, page } = await start();
    const [path = ''] = /\/sign-in\/assets\/custom\.[0-9a-f]+\.css/.exec(page.html) ?? [];
    expect(await (await fetch(service.url + path)).text()).toBe('.page.custom{background:#0f766e}');
    expect((await fetch(`${service.url}/idp${path}`)).status).toBe(404);
    expect(page.headers.get('content-security-policy')).toContain("style-src 'self';");

    const oidcClientMetadata = { redirectUris: ['http://localhost:1/callback'], postLogoutRedirectUris: [] };
    const fields = { name: 'Calendar', type: 'SPA', isThirdParty: true, oidcClientMetadata };
    const { id: clientId } = await service.api.must('POST /applications', fields);
    const { actor } = service.credentials.demo;
    await visitor.open(
      (await authorization(service, {}, { clientId, redirectUri: 'http://localhost:1/callback' })).url,
    );
    await visitor.submit('identifier', { identifier: actor.username });
    const consent = await visitor.submit('password', { password: actor.password });
    expect(consent.text).toContain('Allow Calendar to access your account?');
    expect(consent.html).not.toMatch(/custom/);
    await service.api.must('PATCH /sign-in-exp', { customCss: null });
    expect((await fetch(service.url + path)).status).toBe(404);
  });

  it('replaces texts by language, with the same placeholders', async () => {
    const refusal = async (customTexts: unknown) => {
      const { status, body } = await service.api.call('PATCH /sign-in-exp', { customTexts });
      return [status, body.details];
    };
    expect(await refusal({ en: { 'signIn.title': 'Hello' } })).toEqual([
      400,
      'body.customTexts.en.signIn.title: must contain {brand}',
    ]);
    expect(await refusal({ en: { 'mail.sms': '{code} {brand} {minutes} {digits}' } })).toEqual([
      400,
      'body.customTexts.en.mail.sms: must not contain {digits}',
    ]);
    for (const texts of [
      { tlh: {} },
      { en: { 'consent.title': 'Hi' } },
      { en: { 'signIn.create': '' } },
      { en: { constructor: 'x' } },
    ])
      expect((await refusal(texts))[0], JSON.stringify(texts)).toBe(400);
    const fr = {
      'signIn.title': '<b>Bienvenue</b> chez {brand}',
      'mail.subject': '{brand} : {code}',
      'mail.text': 'Code {code} pour {brand}, {minutes} min.',
    };
    await service.api.must('PATCH /sign-in-exp', { customTexts: { fr, de: { 'signIn.create': 'Neu hier?' } } });
    const { visitor, page } = await start({ 'accept-language': 'fr-CH' }, { prompt: 'login' });
    expect(page.html).toContain('<h1>&lt;b&gt;Bienvenue&lt;/b&gt; chez Default</h1>');
    expect(page.text).toContain('Créer un compte');
    await visitor.submit('register');
    await visitor.submit('identifier', { identifier: 'luc@example.com' });
    const code = await mailbox.code(1, 'luc@example.com');
    expect(mailbox.mails.at(-1)).toMatchObject({
      subject: `Default : ${code}`,
      text: expect.stringMatching(/Code \d{6} pour Default, 10 min\./),
    });
    expect((await start()).page.text).toContain('Sign in to Default');
  });

  it('sends messages in the language of the page, which the user can change', async () => {
    const { visitor, page } = await start(
      { 'accept-language': 'nl' },
      { ui_locales: 'tlh es', first_screen: 'register' },
    );
    expect(page.html).toContain('<html lang="es">');
    const chosen = await visitor.open(`${page.url}?language=it`);
    expect([chosen.url.search, chosen.html]).toEqual(['', expect.stringContaining('<html lang="it">')]);
    await visitor.submit('identifier', { identifier: 'gia@example.com' });
    await mailbox.code(1, 'gia@example.com');
    expect(mailbox.mails.at(-1)?.subject).toMatch(/^\d{6} è il tuo codice Default$|^=\?UTF-8\?/);
    for (const language of ['tlh', '__proto__', 'en&language=fr'])
      expect((await visitor.open(`${page.url}?language=${language}`)).html).toContain('<html lang="it">');
    const cookie = visitor.cookies.find(({ name }) => name.endsWith('_language'));
    expect(cookie).toMatchObject({ value: 'it', path: '/' });
  });

  it('sends messages of the Experience API in the language that the application asks for', async () => {
    const { call } = await experience(service, { ui_locales: 'es' });
    await call('PUT /', { interactionEvent: 'Register' });
    const identifier = { type: 'email', value: 'eva@example.com' };
    await call('POST /verification/verification-code', { identifier });
    await mailbox.code(1, identifier.value);
    expect(mailbox.mails.at(-1)?.subject).toMatch(/es_tu_c=C3=B3digo|es tu código/);
  });
});
