import * as oauth from 'openid-client';

/** A fetch with a cookie jar that does not follow redirects, so that the caller sees every hop. */
class CookieJar {
  readonly #cookies = new Map<string, string>();

  async fetch(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      if (value.join('=') === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value.join('='));
    }
    return response;
  }
}

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

/**
 * Returns the form that a user would fill in: the one with a password field if there is one. Hidden fields keep their
 * values; username and password come from `person`.
 */
function filledForm(
  html: string,
  page: URL,
  person: { username: string; password: string },
): { action: URL; body: URLSearchParams } {
  const forms = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form);
  const form = forms.find((form) => form.includes('type="password"')) ?? forms[0];
  if (!form) throw new Error(`no form at ${page}: ${html.slice(0, 300)}`);
  const body = new URLSearchParams();
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(tag, 'name');
    const type = attribute(tag, 'type');
    if (!name || type === 'checkbox') continue;
    body.set(
      name,
      type === 'password' ? person.password : type === 'hidden' ? (attribute(tag, 'value') ?? '') : person.username,
    );
  }
  return { action: new URL(attribute(form, 'action') ?? '', page), body };
}

export interface SignInRequest {
  endpoint: string;
  clientId: string;
  /** For a confidential application. */
  clientSecret?: string;
  redirectUri: string;
  scope?: string;
  person: { username: string; password: string };
  /** Called for every page and every redirect. */
  onStep?: (method: string, url: URL, status: number) => void;
}

const MAX_HOPS = 12;

/** Signs a user in by authorization code with PKCE through the real pages, as a browser without JavaScript does. */
export async function signIn({
  endpoint,
  clientId,
  clientSecret,
  redirectUri,
  scope = 'openid profile',
  person,
  onStep,
}: SignInRequest) {
  const insecure = endpoint.startsWith('http:') ? { execute: [oauth.allowInsecureRequests] } : {};
  const client = await oauth.discovery(
    new URL(`${endpoint}/oidc`),
    clientId,
    clientSecret,
    clientSecret ? undefined : oauth.None(),
    insecure,
  );
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  let url = oauth.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });

  const jar = new CookieJar();
  let init: RequestInit = {};
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const response = await jar.fetch(url, init);
    onStep?.(init.method ?? 'GET', url, response.status);
    const location = response.headers.get('location');
    if (location) {
      url = new URL(location, url);
      init = {};
      if (url.href.startsWith(redirectUri)) {
        return {
          client,
          tokens: await oauth.authorizationCodeGrant(client, url, { pkceCodeVerifier: verifier, expectedState: state }),
        };
      }
      continue;
    }
    const { action, body } = filledForm(await response.text(), url, person);
    url = action;
    init = { method: 'POST', body };
  }
  throw new Error(`the sign-in did not end after ${MAX_HOPS} pages`);
}
