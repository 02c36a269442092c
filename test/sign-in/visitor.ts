import * as oauth from 'openid-client';
import type { TestService } from '../support/start-service.ts';

const decode = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decode(value);
};

export interface Page {
  url: URL;
  status: number;
  headers: Headers;
  html: string;
  /** The visible text, as one line. */
  text: string;
}

const MAX_HOPS = 12;

/** A browser without JavaScript: cookies by path, forms, redirects. It stops when a redirect leaves the service. */
export class Visitor {
  readonly #cookies: { name: string; value: string; path: string }[] = [];
  readonly #home: string;
  page: Page | undefined;
  /** The URL of the last redirect that left the service. */
  left: URL | undefined;
  headers: Record<string, string> = {};

  constructor(home: string) {
    this.#home = new URL(home).origin;
  }

  get cookies(): readonly { name: string; value: string; path: string }[] {
    return this.#cookies;
  }

  /** Adds the cookies of another browser, as a thief would. */
  takeCookies(stolen: Visitor['cookies']): void {
    this.#cookies.push(...stolen);
  }

  async open(address: string | URL, init: RequestInit = {}): Promise<Page> {
    let url = new URL(address, this.#home);
    let request = init;
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const response = await this.send(url, request);
      const location = response.headers.get('location');
      const html = await response.text();
      this.page = { url, status: response.status, headers: response.headers, html, text: textOf(html) };
      if (!location) return this.page;
      url = new URL(location, url);
      request = {};
      if (url.origin === this.#home) continue;
      this.left = url;
      return this.page;
    }
    throw new Error(`more than ${MAX_HOPS} redirects, the last to ${url}`);
  }

  /** Sends one request with this browser's cookies and follows no redirect. */
  async send(url: URL, init: RequestInit = {}): Promise<Response> {
    const sent = this.#cookies.filter(
      ({ path }) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')),
    );
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...this.headers, ...(init.headers as Record<string, string>), cookie };
    const response = await fetch(url, { ...init, redirect: 'manual', headers });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** Returns the hidden fields and the URL of the form that posts to `step`. */
  form(step: string): { action: URL; fields: Record<string, string> } {
    const { html, url } = this.page as Page;
    for (const [form, head = ''] of html.matchAll(/(<form\b[^>]*>)[\s\S]*?<\/form>/g)) {
      const action = new URL(attribute(head, 'action') ?? '', url);
      if (!action.pathname.endsWith(`/${step}`)) continue;
      const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
      const hidden = inputs.filter((tag) => attribute(tag, 'type') === 'hidden');
      return {
        action,
        fields: Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')])),
      };
    }
    throw new Error(`no form for ${step} at ${url}: ${textOf(html)}`);
  }

  submit(step: string, typed: Record<string, string> = {}): Promise<Page> {
    const { action, fields } = this.form(step);
    return this.open(action, { method: 'POST', body: new URLSearchParams({ ...fields, ...typed }) });
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const [name = '', ...rest] = pair.split('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const index = this.#cookies.findIndex((cookie) => cookie.name === name && cookie.path === path);
    if (index >= 0) this.#cookies.splice(index, 1);
    if (rest.join('=') !== '') this.#cookies.push({ name, value: rest.join('='), path });
  }
}

const textOf = (html: string): string =>
  decode(html.replace(/<head[\s\S]*<\/head>/, '').replace(/<[^>]+>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

export interface Application {
  clientId: string;
  redirectUri: string;
}

/** Starts a sign-in at the demo application with code and PKCE, by `openid-client`. */
export async function authorization(service: TestService, parameters: Record<string, string> = {}, as?: Application) {
  const { clientId, redirectUri } = as ?? service.credentials.demo;
  const client = await oauth.discovery(new URL(`${service.url}/oidc`), clientId, undefined, oauth.None(), {
    execute: [oauth.allowInsecureRequests],
  });
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return {
    client,
    url,
    tokensAt: (callback: URL, extra: Record<string, string> = {}) =>
      oauth.authorizationCodeGrant(client, callback, { pkceCodeVerifier }, extra),
  };
}
