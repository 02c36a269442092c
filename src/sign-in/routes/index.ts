import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import { refuseControlInForm } from '../../http/control-characters.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Tenant } from '../../tenants.ts';
import { accountRoutes } from '../account/routes.ts';
import { experienceRoutes } from '../experience/routes.ts';
import { interactionOfState, setInteractionCookies } from '../interaction/cookies.ts';
import type { SignInObserver, Tools } from '../interaction/flow.ts';
import { Limits } from '../interaction/limits.ts';
import { csrfTokenOf, findInteraction, openFlow, requireCsrfToken } from '../interaction/open-flow.ts';
import type { Messenger } from '../messages/messenger.ts';
import { assets } from '../pages/assets.ts';
import { expiredPage } from '../pages/plain.ts';
import { basePathOf, readView, sendPage } from '../pages/respond.ts';
import { RelyingParty } from '../proofs/relying-party.ts';
import { decideConsent, isConsent, showConsent } from './consent.ts';
import { forms } from './forms.ts';
import { showHome } from './home.ts';
import { bodyOf, type OpenInteraction, showStep, submitStep } from './interaction.ts';
import { redirectToProvider, returnFromProvider } from './social.ts';

interface SignInOptions {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  secrets: SecretBox;
  clock: Clock;
  logger: Logger;
  messenger: Messenger;
  /** For requests to the tenants' identity providers. */
  client: HttpClient;
  /** For metrics. */
  onOutcome?: SignInObserver | undefined;
  onLimited?: ((limit: string) => void) | undefined;
}

/** The largest form is a passkey's response. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * The routes of the sign-in pages. `GET` shows the current step of an interaction; each `POST` submits one step and
 * redirects back to it.
 */
export function signInRoutes({ providerOf, clock, client, onLimited, ...others }: SignInOptions): Router {
  const relyingParty = new RelyingParty(client, others.secrets);
  const tools: Tools = { ...others, clock, limits: new Limits(clock, onLimited), relyingParty };

  const inInteraction = (handle: (opened: OpenInteraction) => Promise<void>): RequestHandler =>
    page(async (request, response) => {
      const provider = await providerOf(contextOf(request).tenant);
      const interaction = await findInteraction(provider, request, response, String(request.params.uid));
      const flow = await openFlow(request, interaction, tools);
      setInteractionCookies(response, flow.tenant, interaction);
      await handle({ request, response, provider, interaction, flow });
    });

  const post = (step: string, handle: (opened: OpenInteraction) => Promise<void>): void => {
    const guarded = inInteraction(async (opened) => {
      requireCsrfToken(csrfTokenOf(opened.interaction), bodyOf(opened).csrf, opened.request);
      await handle(opened);
    });
    router.post(`/sign-in/:uid/${step}`, parseForm, guarded);
  };

  const router = Router({ caseSensitive: true });
  const parseForm = express.urlencoded({
    extended: false,
    limit: MAX_FORM_BYTES,
    parameterLimit: 20,
    verify: refuseControlInForm,
  });
  router.use(assets());
  router.get('/', showHome);
  router.use('/api/experience', experienceRoutes({ providerOf, tools }));
  router.get(
    '/sign-in/:uid',
    inInteraction((opened) => (isConsent(opened) ? showConsent(opened) : showStep(opened))),
  );
  router.get('/sign-in/callback/:target', redirectCallback);
  router.get('/sign-in/:uid/social/:target', inInteraction(redirectToProvider));
  router.get('/sign-in/:uid/social/:target/callback', inInteraction(returnFromProvider));
  post('consent', decideConsent);
  for (const [step, act] of Object.entries(forms)) post(step, (opened) => submitStep(opened, act));
  accountRoutes(router, { providerOf, tools, parseForm });
  return router;
}

/**
 * Redirects a provider's response to the interaction or account page that its `state` names. That path's own cookie is
 * checked there.
 */
const redirectCallback = page(async (request, response) => {
  const { search, searchParams } = new URL(request.originalUrl, 'http://localhost');
  const [owner = ''] = String(searchParams.get('state')).split('.');
  const { tenant } = contextOf(request);
  const target = encodeURIComponent(String(request.params.target));
  const place =
    owner === 'account'
      ? `account/link/${target}`
      : `sign-in/${interactionOfState(request, tenant, owner)}/social/${target}`;
  response.redirect(303, `${basePathOf(tenant)}/${place}/callback${search}`);
});

/**
 * Shows a page for errors outside a step: the interaction does not belong to this browser, or has expired. Redirects
 * after a conflict of two requests.
 */
function page(handle: (request: Request, response: Response) => Promise<void>): RequestHandler {
  return async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : undefined;
      const { tenant } = contextOf(request);
      if (code === 'session.conflict') {
        response.redirect(303, `${basePathOf(tenant)}/sign-in/${String(request.params.uid)}`);
      } else if (code === 'session.not_found' || code === 'session.forbidden') {
        const view = await readView(tenant, { acceptLanguage: request.headers['accept-language'] });
        sendPage(response, (error as ServiceError).status, expiredPage(view));
      } else {
        throw error;
      }
    }
  };
}
