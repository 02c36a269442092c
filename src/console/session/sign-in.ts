import { randomBytes } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { redeemLink, rightsOfLink } from '../../admin/administrators.ts';
import type { Clock } from '../../base/clock.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { MINUTE_MS } from '../../base/times.ts';
import { contextOf } from '../../http/context.ts';
import { type Cookie, clearCookie, readCookie, setCookie } from '../../http/cookies.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Tenant } from '../../tenants.ts';
import { CONSOLE_CLIENT_ID, challengeOf, consoleCallback, redeemCode } from '../../tokens/clients/console-client.ts';
import { sendPlain } from '../respond.ts';
import { openSession } from './session.ts';

interface SignInParts {
  providerOf(tenant: Tenant): Promise<Provider>;
  secrets: SecretBox;
  clock: Clock;
}

/** Time allowed from the first page of a sign-in to its callback. */
const SIGN_IN_MS = 30 * MINUTE_MS;

/** A sign-in in progress, kept in a sealed cookie of the browser that started it. */
interface PendingSignIn {
  state: string;
  verifier: string;
  /** Path to return to, below `/console`. */
  to: string;
  /** Token of the one-time link that was followed, if any. */
  link?: string;
  /** Epoch milliseconds. */
  begunAt: number;
}

const PURPOSE = 'console-sign-in';
const PENDING: Cookie = { name: 'console_sign_in', path: '/console/-' };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** URL of the sign-in, for requests without a session. It is at the tenant's endpoint, where the cookies are valid. */
export const signInUrl = ({ endpoint }: Tenant, to: string): string =>
  `${endpoint}/console/-/sign-in?${new URLSearchParams({ to })}`;

/** Signs administrators in with the default tenant's own sign-in pages: an authorization code flow with PKCE. */
export function signInRoutes({ providerOf, secrets, clock }: SignInParts): Router {
  const startSignIn = (request: Request, response: Response): void => {
    const { tenant } = contextOf(request);
    const { to = '', link, create } = request.query;
    const pending: PendingSignIn = {
      state: randomBytes(16).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
      to: textOf(to) ?? '',
      ...(typeof link === 'string' && { link }),
      begunAt: clock(),
    };
    setCookie(response, tenant, PENDING, secrets.seal(JSON.stringify(pending), PURPOSE));
    const query = new URLSearchParams({
      client_id: CONSOLE_CLIENT_ID,
      redirect_uri: consoleCallback(tenant.endpoint),
      response_type: 'code',
      scope: 'openid',
      state: pending.state,
      code_challenge: challengeOf(pending.verifier),
      code_challenge_method: 'S256',
      prompt: 'login', // The provider requires it of the console anyway.
      ...(create !== undefined && { first_screen: 'register' }),
    });
    response.redirect(303, `${tenant.endpoint}/oidc/auth?${query}`);
  };

  const takePending = (request: Request, response: Response): PendingSignIn | undefined => {
    const { tenant } = contextOf(request);
    const pending = secrets.openJson<PendingSignIn>(readCookie(request, tenant, PENDING), PURPOSE);
    clearCookie(response, tenant, PENDING);
    return pending && pending.begunAt + SIGN_IN_MS > clock() ? pending : undefined;
  };

  const redeem = async (tenant: Tenant, code: string, { verifier }: PendingSignIn) =>
    redeemCode(await providerOf(tenant), code, verifier);

  const handleCallback = async (request: Request, response: Response): Promise<void> => {
    const { tenant } = contextOf(request);
    const pending = takePending(request, response);
    const { code, state } = request.query;
    const isOurs = pending !== undefined && pending.state === state && typeof code === 'string';
    const userId = isOurs ? await redeem(tenant, code, pending) : undefined;
    if (!pending || !userId)
      return refuse(response, tenant, 'The sign-in expired or was started in another browser. Sign in again.');
    const isRedeemed = pending.link === undefined || (await redeemLink(tenant.store, pending.link, userId, clock()));
    if (!isRedeemed) return refuse(response, tenant, USED_LINK);
    await openSession(response, tenant, userId, clock());
    response.redirect(303, `${tenant.path}/console${pending.to}`);
  };

  const showLink = async (request: Request, response: Response): Promise<void> => {
    const { tenant } = contextOf(request);
    const link = textOf(request.query.link) ?? '';
    const rights = await rightsOfLink(tenant.store, link, clock());
    if (!rights) return refuse(response, tenant, USED_LINK, 404);
    const href = (extraParameters: Record<string, string>) =>
      `${tenant.path}/console/-/sign-in?${new URLSearchParams({ link, ...extraParameters })}`;
    const names = rights.tenantIds.map((id) => html`<li><code class="mono">${id}</code></li>`);
    sendPlain(
      response,
      200,
      tenant,
      'Become an administrator',
      html`<p>This link gives you the role <strong>${rights.role}</strong> in these tenants:</p><ul class="bullets">${names}</ul>
<a class="button primary" href="${href({ create: '' })}">Create an account</a>
<a class="button" href="${href({})}">Use an existing account</a>
<p class="quiet small">The link works once. The first user who signs in with it becomes an administrator.</p>`,
    );
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.get('/-/sign-in', startSignIn);
  router.get('/-/callback', handleCallback);
  router.get('/-/join', showLink);
  return router;
}

const USED_LINK = html`This link was already used or has expired. Create a new one with <code class="mono">npm run cli -- create-administrator</code>.`;

const refuse = (response: Response, tenant: Tenant, reason: Html | string, status = 400): void =>
  sendPlain(
    response,
    status,
    tenant,
    'You are not signed in',
    html`<p>${reason}</p><a class="button primary" href="${tenant.path}/console">Sign in</a>`,
  );
