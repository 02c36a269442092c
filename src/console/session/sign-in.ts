import { randomBytes } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { contextOf } from '../../http/context.ts';
import { readCookie } from '../../http/cookies.ts';
import { html } from '../../pages/html.ts';
import type { Tenant } from '../../tenants.ts';
import { CONSOLE_CLIENT_ID, challengeOf, consoleCallback, redeemCode } from '../../tokens/clients/console-client.ts';
import { sendPlain } from '../respond.ts';
import { linkedTenants, redeemLink } from './administrators.ts';
import { cookieName, cookieOptions, openSession, unseal } from './session.ts';

interface SignInParts {
  providerOf(tenant: Tenant): Promise<Provider>;
  secrets: SecretBox;
  clock: Clock;
}

/** From the first page to the last: who takes longer starts again. */
const SIGN_IN_MS = 30 * 60 * 1000;

/** Of a sign-in under way, in a sealed cookie of the browser that began it. */
interface Begun {
  state: string;
  verifier: string;
  /** Where to go then, below `/console`. */
  to: string;
  /** What a one-time link holds, when one was followed. */
  link?: string;
  /** Epoch milliseconds. */
  begunAt: number;
}

const PURPOSE = 'console-sign-in';
const BELOW = '/-';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Whoever asks for a page of the console without a session goes here, at the endpoint that cookies belong to. */
export const signInUrl = ({ endpoint }: Tenant, to: string): string =>
  `${endpoint}/console/-/sign-in?${new URLSearchParams({ to })}`;

/** Authorization code with PKCE at the default tenant, by this service's own pages. */
export function signInRoutes({ providerOf, secrets, clock }: SignInParts): Router {
  const begin = (request: Request, response: Response): void => {
    const { tenant } = contextOf(request);
    const { to = '', link, create } = request.query;
    const begun: Begun = {
      state: randomBytes(16).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
      to: textOf(to) ?? '',
      ...(typeof link === 'string' && { link }),
      begunAt: clock(),
    };
    response.cookie(
      cookieName(tenant, 'sign_in'),
      secrets.seal(JSON.stringify(begun), PURPOSE),
      cookieOptions(tenant, BELOW),
    );
    const query = new URLSearchParams({
      client_id: CONSOLE_CLIENT_ID,
      redirect_uri: consoleCallback(tenant.endpoint),
      response_type: 'code',
      scope: 'openid',
      state: begun.state,
      code_challenge: challengeOf(begun.verifier),
      code_challenge_method: 'S256',
      prompt: 'login', // The provider demands it of the console in any case.
      ...(create !== undefined && { first_screen: 'register' }),
    });
    response.redirect(303, `${tenant.endpoint}/oidc/auth?${query}`);
  };

  const takeBegun = (request: Request, response: Response): Begun | undefined => {
    const { tenant } = contextOf(request);
    const name = cookieName(tenant, 'sign_in');
    const text = unseal(secrets, readCookie(request, name), PURPOSE);
    response.clearCookie(name, cookieOptions(tenant, BELOW));
    const begun = text ? (JSON.parse(text) as Begun) : undefined;
    return begun && begun.begunAt + SIGN_IN_MS > clock() ? begun : undefined;
  };

  const redeem = async (tenant: Tenant, code: string, { verifier }: Begun) =>
    redeemCode(await providerOf(tenant), code, verifier);

  const comeBack = async (request: Request, response: Response): Promise<void> => {
    const { tenant } = contextOf(request);
    const begun = takeBegun(request, response);
    const { code, state } = request.query;
    const isOurs = begun !== undefined && begun.state === state && typeof code === 'string';
    const userId = isOurs ? await redeem(tenant, code, begun) : undefined;
    if (!begun || !userId)
      return refuse(response, tenant, 'This sign-in was not finished in time, or in this browser.');
    const isRedeemed = begun.link === undefined || (await redeemLink(tenant.store, begun.link, userId, clock()));
    if (!isRedeemed) return refuse(response, tenant, USED_LINK);
    await openSession(response, tenant, userId, clock());
    response.redirect(303, `${tenant.path}/console${begun.to}`);
  };

  const join = async (request: Request, response: Response): Promise<void> => {
    const { tenant } = contextOf(request);
    const link = textOf(request.query.link) ?? '';
    const tenantIds = await linkedTenants(tenant.store, link, clock());
    if (!tenantIds) return refuse(response, tenant, USED_LINK, 404);
    const href = (besides: Record<string, string>) =>
      `${tenant.path}/console/-/sign-in?${new URLSearchParams({ link, ...besides })}`;
    const names = tenantIds.map((id) => html`<li><code class="mono">${id}</code></li>`);
    sendPlain(
      response,
      200,
      tenant,
      'Become an administrator',
      html`<p>This link lets you manage:</p><ul class="bullets">${names}</ul>
<a class="button primary" href="${href({ create: '' })}">Create an account</a>
<a class="button" href="${href({})}">Use an account you have</a>
<p class="quiet small">The link works once. Whoever follows it first has these rights.</p>`,
    );
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.get('/-/sign-in', begin);
  router.get('/-/callback', comeBack);
  router.get('/-/join', join);
  return router;
}

const USED_LINK = 'This link was used already, or is too old. Make another with: npm run cli -- create-administrator';

const refuse = (response: Response, tenant: Tenant, reason: string, status = 400): void =>
  sendPlain(
    response,
    status,
    tenant,
    'You are not signed in',
    html`<p>${reason}</p><a class="button primary" href="${tenant.path}/console">Sign in</a>`,
  );
