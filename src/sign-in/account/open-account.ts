import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { hashOf } from '../../base/ids.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { clientFactsOf, contextOf } from '../../http/context.ts';
import { ACCOUNT_CLIENT_ID } from '../../tokens/clients/account-client.ts';
import { credentialsOf } from '../interaction/credentials.ts';
import type { Flow, Tools } from '../interaction/flow.ts';
import { knownAccountsOf } from '../interaction/known-browsers.ts';
import { newProgress, ProgressStore } from '../interaction/progress.ts';
import type { FormView } from '../pages/layout.ts';
import { viewOf } from '../pages/respond.ts';
import { readSettings } from '../settings.ts';

/** Whoever signed in longer ago is asked again: an account is worth more than a forgotten browser. */
const MAX_AGE_SECONDS = 60 * 60;

/**
 * What leads into the account is changed within this time after a sign-in with everything that it takes, or after another
 * one: a browser that was left open, or a stolen cookie, must not be enough to take the account over for good.
 */
const PROOF_SECONDS = 5 * 60;

/** A request of the account page, by someone who is signed in. */
export interface OpenAccount {
  request: Request;
  response: Response;
  provider: Provider;
  flow: Flow;
  user: UserRow;
  csrf: string;
  /** True if the user signed in within the last minutes. */
  isProven: boolean;
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

/** Undefined: nobody is signed in here, or too long ago. */
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
  if (!user || user.isSuspended || now / 1000 - loginTs > MAX_AGE_SECONDS) return undefined;

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
  const isProven = now / 1000 - loginTs <= PROOF_SECONDS;
  return { request, response, provider, flow, user, csrf: hashOf(`csrf:${jti}`), isProven };
}

interface Destination {
  tenant: Flow['tenant'];
  response: Response;
  /** The query of the account page to come back to. */
  state?: string;
  user?: UserRow;
}

/** Asks for a sign-in before a change, because the session is older than a few minutes. */
export function proveAgain({ flow, response, user }: OpenAccount, chosen: Readonly<Record<string, string>>): void {
  signInFirst({ tenant: flow.tenant, response, user, state: String(new URLSearchParams(chosen)) });
}

/** To the sign-in pages and back. The code that comes back is never redeemed: its verifier is thrown away here. */
export function signInFirst({ tenant, response, state, user }: Destination): void {
  const loginHint = user?.username ?? user?.primaryEmail ?? user?.primaryPhone;
  const url = new URL(`${tenant.endpoint}/oidc/auth`);
  url.search = String(
    new URLSearchParams({
      client_id: ACCOUNT_CLIENT_ID,
      redirect_uri: `${tenant.endpoint}/account`,
      response_type: 'code',
      scope: 'openid',
      max_age: String(user ? PROOF_SECONDS : MAX_AGE_SECONDS),
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
