import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import type { UserRow } from '../../database/tables/index.ts';
import { contextOf } from '../../http/context.ts';
import { csrfTokenOf } from '../../http/csrf.ts';
import type { Tenant } from '../../tenants.ts';
import { ACCOUNT_CLIENT_ID } from '../../tokens/clients/clients.ts';
import { credentialsOf } from '../interaction/credentials.ts';
import type { Flow, Tools } from '../interaction/flow.ts';
import { flowOfRequest } from '../interaction/open-flow.ts';
import { beginProgress, findProgress, newProgress, unsaved } from '../interaction/progress.ts';
import { preferencesOf } from '../pages/language.ts';
import { type FormView, viewOf } from '../pages/layout.ts';

/**
 * A session older than this has to sign in again to see the account page: a forgotten browser must not expose the
 * account.
 */
const MAX_SESSION_AGE_SECONDS = 60 * 60;

/**
 * Credentials can be changed only within this time after a full sign-in. An unattended browser or a stolen cookie must
 * not be enough to take the account over for good.
 */
const RECENT_SIGN_IN_SECONDS = 5 * 60;

/** A request of the account page by a signed-in user. */
export type OpenAccount = NonNullable<Awaited<ReturnType<typeof openAccount>>>;

interface BrowserSession {
  jti: string;
  uid: string;
  accountId?: string;
  loginTs?: number;
}

async function sessionOf(provider: Provider, request: Request, response: Response): Promise<BrowserSession> {
  const context = provider.createContext(request, response);
  return (await provider.Session.get(context as never)) as unknown as BrowserSession;
}

/** Returns undefined if this browser is not signed in, or signed in more than `MAX_SESSION_AGE_SECONDS` ago. */
export async function openAccount(provider: Provider, request: Request, response: Response, tools: Tools) {
  const { store } = contextOf(request).tenant;
  const now = tools.clock();
  const { accountId, loginTs = 0, uid, jti } = await sessionOf(provider, request, response);
  const user = accountId ? await store.find('users', { id: accountId }) : undefined;
  if (!user || user.isSuspended || now / 1000 - loginTs > MAX_SESSION_AGE_SECONDS) return undefined;

  const id = `account:${uid}`;
  const common = await flowOfRequest(request, tools, now);
  const fresh = { ...newProgress('SignIn'), userId: user.id };
  await beginProgress(common, id, fresh, now);
  const flow: Flow = {
    ...common,
    uid: id,
    publicId: 'account',
    isAccountPage: true,
    credentials: await credentialsOf(store, user),
    sessionUid: uid,
    application: undefined,
    saved: (await findProgress(common, id)) ?? unsaved(fresh),
  };
  const view = viewOf(flow.tenant, flow.settings, preferencesOf(request, flow.tenant));
  const formView: FormView = { ...view, action: `${view.base}/account`, csrf: csrfTokenOf(jti), fault: undefined };
  /** True if the session is at most `RECENT_SIGN_IN_SECONDS` old. */
  const isRecent = now / 1000 - loginTs <= RECENT_SIGN_IN_SECONDS;
  return { request, response, provider, flow, user, view: formView, isRecent };
}

/** Asks for a sign-in before a change, because the session is older than `RECENT_SIGN_IN_SECONDS`. */
export function askToSignInAgain({ flow, response, user }: OpenAccount, query: Readonly<Record<string, string>>): void {
  redirectToSignIn(flow.tenant, response, { user, state: String(new URLSearchParams(query)) });
}

/**
 * Redirects to the sign-in pages, which lead back to `/account`. The authorization code is never redeemed, so its
 * verifier is not kept.
 *
 * @param from the user to sign in again, and the query of the account page to return to
 */
export function redirectToSignIn(tenant: Tenant, response: Response, from?: { user: UserRow; state: string }): void {
  const { user, state } = from ?? {};
  const loginHint = user?.username ?? user?.primaryEmail ?? user?.primaryPhone;
  const url = new URL(`${tenant.endpoint}/oidc/auth`);
  url.search = String(
    new URLSearchParams({
      client_id: ACCOUNT_CLIENT_ID,
      redirect_uri: `${tenant.endpoint}/account`,
      response_type: 'code',
      scope: 'openid',
      max_age: String(user ? RECENT_SIGN_IN_SECONDS : MAX_SESSION_AGE_SECONDS),
      ...(state && { state }),
      ...(loginHint && { login_hint: loginHint }),
      code_challenge_method: 'S256',
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    }),
  );
  response.redirect(303, url.href);
}
