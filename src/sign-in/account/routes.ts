import type { Request, RequestHandler, Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import type { Tenant } from '../../tenants.ts';
import { finishSocial, identityIn, startSocial } from '../actions.ts';
import { progressOf, type Tools } from '../flow.ts';
import { bodyOf } from '../interaction-pages.ts';
import { requireCsrfToken } from '../open-flow.ts';
import { ProgressStore } from '../progress.ts';
import { basePathOf, faultText, sendPage } from '../respond.ts';
import { applyChange } from './apply.ts';
import { accountForms } from './forms.ts';
import { accountViewOf, type OpenAccount, openAccount, signInFirst } from './open-account.ts';
import { accountHtml } from './show.ts';

interface AccountOptions {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  tools: Tools;
  parseForm: RequestHandler;
}

/** Where each form belongs, to be shown again with what to do about it. */
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

/** Forms that lead to the code that was sent, and not back to the overview. */
const LEADS_TO_CODE = ['email', 'phone', 'code/send'];

/** `/account`: what people see and change of their own account. */
export function accountRoutes(router: Router, { providerOf, tools, parseForm }: AccountOptions): void {
  const signedIn =
    (handle: (account: OpenAccount) => Promise<void>) => async (request: Request, response: Response) => {
      const { tenant } = contextOf(request);
      const account = await openAccount(await providerOf(tenant), request, response, tools);
      if (account) await handle(account);
      else signInFirst({ tenant, response });
    };

  router.get('/account', signedIn(show));
  router.get('/account/link/:target', signedIn(goToProvider));
  router.get('/account/link/:target/callback', signedIn(comeBack));
  for (const [step, act] of Object.entries(accountForms)) {
    const post = signedIn(async (account) => {
      const { request, response, flow, csrf } = account;
      const body = bodyOf(account);
      requireCsrfToken(csrf, body.csrf, request);
      try {
        await act(account, body, accountViewOf(account).t);
        const next = LEADS_TO_CODE.includes(step) ? 'code' : 'saved';
        response.redirect(303, `${basePathOf(flow.tenant)}/account?${next}`);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        await showFault(account, step, error);
      }
    });
    router.post(`/account/${step}`, parseForm, post);
  }
}

async function goToProvider({ flow, request, response }: OpenAccount): Promise<void> {
  const { url } = await startSocial(flow, String(request.params.target));
  await new ProgressStore(flow.store, flow.tools.secrets).save(flow.uid, flow.saved);
  response.redirect(303, url);
}

async function comeBack(account: OpenAccount): Promise<void> {
  const { flow, request, response } = account;
  try {
    const { search } = new URL(request.originalUrl, flow.tenant.endpoint);
    const verification = await finishSocial(flow, String(request.params.target), search);
    progressOf(flow).identities = [identityIn(verification)];
    await applyChange(flow, 'Link');
    response.redirect(303, `${basePathOf(flow.tenant)}/account?saved`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await showFault(account, 'link', error);
  }
}

async function show(account: OpenAccount): Promise<void> {
  const { request, response, flow } = account;
  // What the sign-in pages sent along is of no use here, and does not stay in the address.
  if (request.query.iss !== undefined) return response.redirect(303, `${basePathOf(flow.tenant)}/account`);
  const before = JSON.stringify(flow.saved.progress);
  const html = await accountHtml(account, request.query);
  const { store, tools, uid, saved } = flow;
  if (JSON.stringify(saved.progress) !== before) await new ProgressStore(store, tools.secrets).save(uid, saved);
  sendPage(response, 200, html);
}

async function showFault(account: OpenAccount, step: string, error: ServiceError): Promise<void> {
  const { response, flow } = account;
  if (error.code === 'session.conflict') return response.redirect(303, `${basePathOf(flow.tenant)}/account`);
  const body = bodyOf(account);
  const { t } = accountViewOf(account);
  const refused = { fault: faultText(t, error), code: error.code, typed: body.identifier ?? body.name };
  const chosen = step === 'remove' || step === 'unlink' ? { [step]: body.id } : (PAGE_OF[step] ?? {});
  response.set(error.headers);
  sendPage(response, error.status, await accountHtml(account, chosen, refused));
}
