import type { Request, RequestHandler, Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import { requireCsrfToken } from '../../http/csrf.ts';
import { sendPage } from '../../pages/send.ts';
import type { Tenant } from '../../tenants.ts';
import { finishSocial, startSocial } from '../actions.ts';
import { progressOf, saveProgress, type Tools } from '../interaction/flow.ts';
import { offeredConnectors } from '../proofs/connectors.ts';
import { faultText } from '../routes/fault-text.ts';
import type { FormBody } from '../routes/forms.ts';
import { bodyOf } from '../routes/interaction.ts';
import { accountForms } from './forms.ts';
import { askToSignInAgain, type OpenAccount, openAccount, redirectToSignIn } from './open-account.ts';
import { accountHtml, IDENTIFIERS } from './show.ts';

interface AccountOptions {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  tools: Tools;
  parseForm: RequestHandler;
}

/** The page that shows a refused form again, as the query of `/account`. */
const PAGE_OF: Record<string, Record<string, string>> = {
  name: { edit: 'name' },
  username: { edit: 'username' },
  email: { edit: 'email' },
  phone: { edit: 'phone' },
  password: { edit: 'password' },
  code: { code: '' },
  'code/send': { code: '' },
  'enrol/totp': { add: 'Totp' },
  'enrol/passkey': { add: 'WebAuthn' },
  'enrol/backup': { add: 'BackupCode' },
};

const pageOf = (step: string, { id = '' }: FormBody): Record<string, string> =>
  step === 'remove' || step === 'unlink' || step === 'link' ? { [step]: id } : (PAGE_OF[step] ?? {});

/**
 * Steps that do not touch credentials, or finish a step that was proven. All others, and the pages of their forms, need
 * a sign-in within `RECENT_SIGN_IN_SECONDS`. Changing a password needs the current password instead.
 */
const OPEN_STEPS = ['name', 'sign-out-others', 'code', 'code/send', 'link'];
const RETURN_PAGE = /^(?:edit|add|remove|unlink)=[\w-]{1,64}$/;

const needsRecentSignIn = ({ isRecent, user }: OpenAccount, step: string): boolean =>
  !isRecent && !OPEN_STEPS.includes(step) && !(step === 'password' && user.passwordHash !== null);

/** Forms that lead to the code page and not back to the overview. */
const LEADS_TO_CODE = ['email', 'phone', 'code/send'];

/** `/account`: users see and change their own account. */
export function accountRoutes(router: Router, { providerOf, tools, parseForm }: AccountOptions): void {
  const signedIn =
    (handle: (account: OpenAccount) => Promise<void>) => async (request: Request, response: Response) => {
      const { tenant } = contextOf(request);
      const account = await openAccount(await providerOf(tenant), request, response, tools);
      if (account) await handle(account);
      else redirectToSignIn(tenant, response);
    };

  router.get('/account', signedIn(show));
  router.get('/account/link/:target/callback', signedIn(returnFromProvider));

  /** @param act returns the path to redirect to */
  const post = (step: string, path: string, act: (account: OpenAccount) => Promise<string>): void => {
    const guarded = signedIn(async (account) => {
      const { request, response, view } = account;
      const body = bodyOf(account);
      requireCsrfToken(request, view.csrf, body.csrf);
      if (needsRecentSignIn(account, step)) return askToSignInAgain(account, pageOf(step, body));
      try {
        response.redirect(303, await act(account));
      } catch (error) {
        await showFault(account, step, error);
      }
    });
    router.post(`/account/${path}`, parseForm, guarded);
  };
  for (const [step, act] of Object.entries(accountForms)) {
    post(step, step, async (account) => {
      await act(account, bodyOf(account));
      return `${account.view.action}?${LEADS_TO_CODE.includes(step) ? 'code' : 'saved'}`;
    });
  }
  post('link-begin', 'link/:target', redirectToProvider);
}

/** Starts linking an identity. Single sign-on is not offered here: it links by the email address of the account. */
async function redirectToProvider(account: OpenAccount): Promise<string> {
  const { flow, request } = account;
  const target = String(request.params.target);
  const isOffered = (await offeredConnectors(flow.store)).some((connector) => connector.target === target);
  if (!isOffered) throw new ServiceError('session.not_allowed');
  const { url } = await startSocial(flow, target);
  await saveProgress(flow);
  return url;
}

/** Returns from the provider. Nothing is linked yet: the next page names the identity first. */
async function returnFromProvider(account: OpenAccount): Promise<void> {
  const { flow, request, response, user, view } = account;
  try {
    const { search } = new URL(request.originalUrl, flow.tenant.endpoint);
    const verification = await finishSocial(flow, String(request.params.target), search);
    if (verification.userId !== undefined && verification.userId !== user.id) {
      throw new ServiceError('user.identity_already_in_use');
    }
    const progress = progressOf(flow);
    progress.verifications = progress.verifications.filter(
      ({ id, type }) => id === verification.id || type !== 'Social',
    );
    await saveProgress(flow);
    response.redirect(303, `${view.action}?${new URLSearchParams({ link: verification.id })}`);
  } catch (error) {
    await showFault(account, 'link-begin', error);
  }
}

async function show(account: OpenAccount): Promise<void> {
  const { request, response, flow, view } = account;
  // Removes the authorization response from the address bar. `state` is the page that the user was opening.
  if (request.query.iss !== undefined) {
    const state = String(request.query.state ?? '');
    return response.redirect(303, RETURN_PAGE.test(state) ? `${view.action}?${state}` : view.action);
  }
  const { edit, add, remove, unlink } = request.query;
  const credentialPage = add ?? remove ?? unlink ?? (edit === 'name' || edit === 'password' ? undefined : edit);
  if (credentialPage !== undefined && !account.isRecent)
    return askToSignInAgain(account, request.query as Record<string, string>);
  const before = JSON.stringify(flow.saved.progress);
  const html = await accountHtml(account, request.query);
  if (JSON.stringify(flow.saved.progress) !== before) await saveProgress(flow);
  sendPage(response, 200, html);
}

/** Shows the page of the refused form again, with the reason. Rethrows any other error. */
async function showFault(account: OpenAccount, step: string, error: unknown): Promise<void> {
  if (!(error instanceof ServiceError)) throw error;
  const { request, response, flow, view } = account;
  if (error.code === 'session.conflict') return response.redirect(303, view.action);
  const body = bodyOf(account);
  const page = pageOf(step, body);
  const fault = await faultText(flow, view.t, error, {
    identifiers: IDENTIFIERS.filter((type) => type === step),
    target: request.params.target,
    factor: page.add,
  });
  const refused = { fault, code: error.code, typed: body.identifier ?? body.name };
  response.set(error.headers);
  sendPage(response, error.status, await accountHtml(account, page, refused));
}
