import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/connect.ts';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import type { Logger } from '../observe/logger.ts';
import type { SecretBox } from '../secret-box.ts';
import type { Tenant } from '../tenants.ts';
import { complete, missingOf } from './actions.ts';
import { assets } from './assets.ts';
import { factorForms } from './factor-forms.ts';
import { type Flow, progressOf, type Tools } from './flow.ts';
import { type Body, forms } from './forms.ts';
import { Limits } from './limits.ts';
import { Messenger } from './messenger.ts';
import {
  csrfTokenOf,
  findInteraction,
  type Interaction,
  openFlow,
  parameterOf,
  requireCsrfToken,
} from './open-flow.ts';
import type { FormView } from './pages/layout.ts';
import { expiredPage } from './pages/plain.ts';
import { ProgressStore } from './progress.ts';
import { basePathOf, readView, sendPage, viewOf } from './respond.ts';
import { type Shown, stepPage } from './steps.ts';

export interface SignInOptions {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  database: Database;
  secrets: SecretBox;
  clock: Clock;
  logger: Logger;
  config: Config;
}

/** Of a form; a passkey's answer is the largest. */
const MAX_FORM_BYTES = 64 * 1024;

interface Opened {
  flow: Flow;
  interaction: Interaction;
  provider: Provider;
}

/** The pages of an interaction: `GET` shows the step it is at, each `POST` is one step and leads back there. */
export function signInRoutes(options: SignInOptions): Router {
  const { providerOf, secrets, clock, logger, config } = options;
  const messenger = new Messenger({ ...config.messages, logger });
  const tools: Tools = { secrets, clock, logger, limits: new Limits(clock), messenger };

  const open = async (request: Request, response: Response): Promise<Opened> => {
    const { tenant } = contextOf(request);
    const provider = await providerOf(tenant);
    const interaction = await findInteraction(provider, request, response, String(request.params.uid));
    return { provider, interaction, flow: await openFlow(request, interaction, tools) };
  };

  const router = Router({ caseSensitive: true });
  router.use(assets());
  router.get(
    '/sign-in/:uid',
    page(async (request, response) => show(await open(request, response), request, response)),
  );
  const parseForm = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES, parameterLimit: 20 });
  for (const [step, act] of Object.entries({ ...forms, ...factorForms })) {
    const handle = page(async (request, response) => {
      const opened = await open(request, response);
      const body = bodyOf(request);
      requireCsrfToken(csrfTokenOf(opened.interaction), body.csrf, request);
      try {
        await act(opened.flow, body, formViewOf(opened, request).t);
        await goOn(opened, request, response);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        await showFault(opened, request, response, error);
      }
    });
    router.post(`/sign-in/:uid/${step}`, parseForm, handle);
  }
  return router;
}

/** Of every field its one value; what is sent twice is taken for absent. */
function bodyOf(request: Request): Body {
  const fields = Object.entries((request.body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

/** What an interaction that is not this browser's, or no longer, is answered with. */
function page(handle: (request: Request, response: Response) => Promise<void>): RequestHandler {
  return async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      if (!(error instanceof ServiceError) || !['session.not_found', 'session.forbidden'].includes(error.code))
        throw error;
      const { tenant } = contextOf(request);
      const view = await readView(tenant, { acceptLanguage: request.headers['accept-language'] });
      sendPage(response, error.status, expiredPage(view));
    }
  };
}

/** To the next step, or out of the interaction when nothing is missing. */
async function goOn(opened: Opened, request: Request, response: Response): Promise<void> {
  const { flow } = opened;
  if (flow.saved.finishedAt === null && (await missingOf(flow)) !== undefined) {
    await progressStoreOf(flow).save(flow.uid, flow.saved);
    redirectToStep(flow, response);
    return;
  }
  await finish(opened, request, response);
}

/** A second request of a finished interaction is led out as the first was; nothing is announced again. */
async function finish({ flow, provider }: Opened, request: Request, response: Response): Promise<void> {
  if (flow.saved.finishedAt === null) await complete(flow);
  const { userId: accountId } = progressOf(flow);
  if (accountId === undefined) return redirectToStep(flow, response); // After a reset.
  await provider.interactionFinished(request, response, { login: { accountId } }, { mergeWithLastSubmission: false });
}

const progressStoreOf = ({ store, tools }: Flow): ProgressStore => new ProgressStore(store, tools.secrets);

const redirectToStep = ({ tenant, uid }: Flow, response: Response): void =>
  response.redirect(303, `${basePathOf(tenant)}/sign-in/${uid}`);

const formViewOf = ({ flow, interaction }: Opened, request: Request): FormView => {
  const asked = {
    uiLocales: parameterOf(interaction, 'ui_locales'),
    acceptLanguage: request.headers['accept-language'],
  };
  const view = viewOf(flow.tenant, flow.settings, asked);
  return { ...view, action: `${view.base}/sign-in/${flow.uid}`, csrf: csrfTokenOf(interaction), fault: undefined };
};

async function show(opened: Opened, request: Request, response: Response): Promise<void> {
  const { flow } = opened;
  const missing = flow.saved.finishedAt === null ? await missingOf(flow) : undefined;
  if (missing === undefined) return finish(opened, request, response);
  const before = JSON.stringify(flow.saved.progress);
  const html = await stepPage(flow, missing, formViewOf(opened, request), shownOf(opened, request));
  // A page may begin what its form ends: the challenge of a passkey, the secret of a new factor.
  if (JSON.stringify(flow.saved.progress) !== before) await progressStoreOf(flow).save(flow.uid, flow.saved);
  sendPage(response, 200, html);
}

const shownOf = ({ interaction }: Opened, request: Request): Shown => ({
  typed: bodyOf(request).identifier,
  loginHint: parameterOf(interaction, 'login_hint'),
  chosen: request.query,
  social: [],
});

/** The same step again, saying what to do; what was typed stays. */
async function showFault(opened: Opened, request: Request, response: Response, error: ServiceError): Promise<void> {
  const { flow } = opened;
  const saved = await progressStoreOf(flow).find(flow.uid);
  // A form that was sent twice: the other one went on, and that is where this one goes too.
  if (saved?.version !== flow.saved.version) return redirectToStep(flow, response);
  flow.saved.progress = saved.progress;
  const view = formViewOf(opened, request);
  const missing = await missingOf(flow);
  if (missing === undefined) throw error;
  const fault = view.t.faults[error.code] ?? view.t.faultElse;
  response.set(error.headers);
  sendPage(response, error.status, await stepPage(flow, missing, { ...view, fault }, shownOf(opened, request)));
}
