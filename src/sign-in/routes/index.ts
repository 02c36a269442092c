import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import { refuseControlInForm } from '../../http/control-characters.ts';
import { requireCsrfToken } from '../../http/csrf.ts';
import { ExactLimits } from '../../http/rate-limits/exact-limits.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { sendPage } from '../../pages/send.ts';
import type { Tenant } from '../../tenants.ts';
import { accountRoutes } from '../account/routes.ts';
import { experienceRoutes } from '../experience/routes.ts';
import { interactionOfState, setInteractionCookies } from '../interaction/cookies.ts';
import type { Tools } from '../interaction/flow.ts';
import { csrfOf, findInteraction, openFlow } from '../interaction/open-flow.ts';
import { assets } from '../pages/assets.ts';
import { keepLanguage, preferencesOf } from '../pages/language.ts';
import { readView } from '../pages/layout.ts';
import { expiredPage } from '../pages/plain.ts';
import { RelyingParty } from '../proofs/relying-party.ts';
import { decideConsent, isConsent, showConsent } from './consent.ts';
import { forms } from './forms.ts';
import { showHome } from './home.ts';
import { bodyOf, type OpenInteraction, showStep, submitStep } from './interaction.ts';
import { redirectToProvider, returnFromProvider } from './social.ts';

interface SignInOptions extends Omit<Tools, 'limits' | 'relyingParty'> {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  /** For requests to the tenants' identity providers. */
  client: HttpClient;
  /** For metrics. */
  onLimited?: ((limit: string) => void) | undefined;
}

/** The largest form is a passkey's response. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * The routes of the sign-in pages. `GET` shows the current step of an interaction; each `POST` submits one step and
 * redirects back to it.
 */
export function signInRoutes({ providerOf, client, onLimited, ...given }: SignInOptions): Router {
  const relyingParty = new RelyingParty(client, given.secrets);
  const tools: Tools = { ...given, limits: new ExactLimits(given.clock, onLimited), relyingParty };

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
      requireCsrfToken(opened.request, csrfOf(opened.interaction), bodyOf(opened).csrf);
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
  router.get(['/', '/account', '/sign-in/:uid'], keepLanguage);
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
  response.redirect(303, `${tenant.path}/${place}/callback${search}`);
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
        response.redirect(303, `${tenant.path}/sign-in/${String(request.params.uid)}`);
      } else if (code === 'session.not_found' || code === 'session.forbidden') {
        const view = await readView(tenant, preferencesOf(request, tenant));
        sendPage(response, (error as ServiceError).status, expiredPage(view));
      } else {
        throw error;
      }
    }
  };
}
