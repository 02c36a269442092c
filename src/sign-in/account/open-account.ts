import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { hashOf } from '../../base/ids.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { clientFactsOf, contextOf } from '../../http/context.ts';
import { ACCOUNT_CLIENT_ID } from '../../tokens/clients/clients.ts';
import { credentialsOf } from '../interaction/credentials.ts';
import type { Flow, Tools } from '../interaction/flow.ts';
import { knownAccountsOf } from '../interaction/known-browsers.ts';
import { newProgress, ProgressStore } from '../interaction/progress.ts';
import type { FormView } from '../pages/layout.ts';
import { viewOf } from '../pages/respond.ts';
import { readSettings } from '../settings.ts';

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
export interface OpenAccount {
  request: Request;
  response: Response;
  provider: Provider;
  flow: Flow;
  user: UserRow;
  csrf: string;
  /** True if the session is at most `RECENT_SIGN_IN_SECONDS` old. */
  isRecent: boolean;
}

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
export async function openAccount(
  provider: Provider,
  request: Request,
  response: Response,
  tools: Tools,
): Promise<OpenAccount | undefined> {
  const { tenant, requestId } = contextOf(request);
  const { store } = tenant;
  const now = tools.clock();
  const { accountId, loginTs = 0, uid, jti } = await sessionOf(provider, request, response);
  const user = accountId ? await store.find('users', { id: accountId }) : undefined;
  if (!user || user.isSuspended || now / 1000 - loginTs > MAX_SESSION_AGE_SECONDS) return undefined;

  const id = `account:${uid}`;
  const progressStore = new ProgressStore(store, tools.secrets);
  const fresh = { ...newProgress('SignIn'), userId: user.id };
  await progressStore.begin(id, fresh, now);
  const flow: Flow = {
    tenant,
    store,
    settings: await readSettings(store, tenant.name),
    tools,
    uid: id,
    publicId: 'account',
    isAccountPage: true,
    credentials: await credentialsOf(store, user),
    sessionUid: uid,
    application: undefined,
    facts: clientFactsOf(request),
    knownAccounts: knownAccountsOf(request, tenant, tools.secrets, now),
    requestId,
    now,
    saved: (await progressStore.find(id)) ?? { progress: fresh, version: 0, finishedAt: null },
  };
  const isRecent = now / 1000 - loginTs <= RECENT_SIGN_IN_SECONDS;
  return { request, response, provider, flow, user, csrf: hashOf(`csrf:${jti}`), isRecent };
}

interface Destination {
  tenant: Flow['tenant'];
  response: Response;
  /** Query of the account page to return to. */
  state?: string;
  user?: UserRow;
}

/** Asks for a sign-in before a change, because the session is older than `RECENT_SIGN_IN_SECONDS`. */
export function askToSignInAgain({ flow, response, user }: OpenAccount, query: Readonly<Record<string, string>>): void {
  redirectToSignIn({ tenant: flow.tenant, response, user, state: String(new URLSearchParams(query)) });
}

/**
 * Redirects to the sign-in pages, which lead back to `/account`. The authorization code is never redeemed, so its
 * verifier is not kept.
 */
export function redirectToSignIn({ tenant, response, state, user }: Destination): void {
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

export function accountViewOf({ flow, request, csrf }: OpenAccount, fault?: string): FormView {
  const view = viewOf(flow.tenant, flow.settings, { acceptLanguage: request.headers['accept-language'] });
  return { ...view, action: `${view.base}/account`, csrf, fault };
}
