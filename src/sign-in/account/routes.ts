import type { Request, RequestHandler, Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import type { Tenant } from '../../tenants.ts';
import { finishSocial, startSocial } from '../actions.ts';
import { progressOf, type Tools } from '../interaction/flow.ts';
import { requireCsrfToken } from '../interaction/open-flow.ts';
import { ProgressStore } from '../interaction/progress.ts';
import { basePathOf, faultText, sendPage } from '../pages/respond.ts';
import { offeredConnectors } from '../proofs/connectors.ts';
import type { Body } from '../routes/forms.ts';
import { bodyOf } from '../routes/interaction.ts';
import { accountForms } from './forms.ts';
import { accountViewOf, type OpenAccount, openAccount, proveAgain, signInFirst } from './open-account.ts';
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

/** The page to show again, as its query. */
const pageOf = (step: string, { id = '' }: Body): Record<string, string> =>
  step === 'remove' || step === 'unlink' || step === 'link' ? { [step]: id } : (PAGE_OF[step] ?? {});

/**
 * These lead into nothing, or end what a proven step began. All the others, and the pages of their forms, need a sign-in of
 * the last minutes, and a new password the old one.
 */
const OPEN_STEPS = ['name', 'sign-out-others', 'code', 'code/send', 'link'];
const RETURN_PAGE = /^(?:edit|add|remove|unlink)=[\w-]{1,64}$/;

const needsProof = ({ isProven, user }: OpenAccount, step: string): boolean =>
  !isProven && !OPEN_STEPS.includes(step) && !(step === 'password' && user.passwordHash !== null);

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
  router.get('/account/link/:target/callback', signedIn(comeBack));

  /** @param act answers where to go then */
  const post = (step: string, path: string, act: (account: OpenAccount) => Promise<string>): void => {
    const guarded = signedIn(async (account) => {
      const { request, response, csrf } = account;
      const body = bodyOf(account);
      requireCsrfToken(csrf, body.csrf, request);
      if (needsProof(account, step)) return proveAgain(account, pageOf(step, body));
      try {
        response.redirect(303, await act(account));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        await showFault(account, step, error);
      }
    });
    router.post(`/account/${path}`, parseForm, guarded);
  };
  for (const [step, act] of Object.entries(accountForms)) {
    post(step, step, async (account) => {
      await act(account, bodyOf(account), accountViewOf(account).t);
      return `${pathOf(account)}?${LEADS_TO_CODE.includes(step) ? 'code' : 'saved'}`;
    });
  }
  post('link-begin', 'link/:target', goToProvider);
}

const pathOf = ({ flow }: OpenAccount): string => `${basePathOf(flow.tenant)}/account`;

const save = ({ flow }: OpenAccount): Promise<void> =>
  new ProgressStore(flow.store, flow.tools.secrets).save(flow.uid, flow.saved);

/** Single sign-on is not for adding: it links by the address of the account. */
async function goToProvider(account: OpenAccount): Promise<string> {
  const { flow, request } = account;
  const target = String(request.params.target);
  const isOffered = (await offeredConnectors(flow.store)).some((connector) => connector.target === target);
  if (!isOffered) throw new ServiceError('session.not_allowed');
  const { url } = await startSocial(flow, target);
  await save(account);
  return url;
}

/** Nothing is linked yet: the page that follows names who would be. */
async function comeBack(account: OpenAccount): Promise<void> {
  const { flow, request, response, user } = account;
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
    await save(account);
    response.redirect(303, `${pathOf(account)}?${new URLSearchParams({ link: verification.id })}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await showFault(account, 'link-begin', error);
  }
}

async function show(account: OpenAccount): Promise<void> {
  const { request, response, flow } = account;
  // What the sign-in pages sent along does not stay in the address. The state is where the person was going.
  if (request.query.iss !== undefined) {
    const state = String(request.query.state ?? '');
    return response.redirect(303, RETURN_PAGE.test(state) ? `${pathOf(account)}?${state}` : pathOf(account));
  }
  const { edit, add, remove, unlink } = request.query;
  const leadsIn = add ?? remove ?? unlink ?? (edit === 'name' || edit === 'password' ? undefined : edit);
  if (leadsIn !== undefined && !account.isProven) return proveAgain(account, request.query as Record<string, string>);
  const before = JSON.stringify(flow.saved.progress);
  const html = await accountHtml(account, request.query);
  if (JSON.stringify(flow.saved.progress) !== before) await save(account);
  sendPage(response, 200, html);
}

async function showFault(account: OpenAccount, step: string, error: ServiceError): Promise<void> {
  const { response, flow } = account;
  if (error.code === 'session.conflict') return response.redirect(303, `${basePathOf(flow.tenant)}/account`);
  const body = bodyOf(account);
  const { t } = accountViewOf(account);
  const refused = { fault: faultText(t, error), code: error.code, typed: body.identifier ?? body.name };
  response.set(error.headers);
  sendPage(response, error.status, await accountHtml(account, pageOf(step, body), refused));
}
