import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import { requireCsrfToken } from '../../http/csrf.ts';
import { parser } from '../../http/operations/validate.ts';
import type { Tenant } from '../../tenants.ts';
import { complete, missingOf } from '../actions.ts';
import { loginOf } from '../interaction/authentication-methods.ts';
import { findExperience } from '../interaction/cookies.ts';
import { type Flow, progressOf, saveProgress, type Tools } from '../interaction/flow.ts';
import { rememberBrowser } from '../interaction/known-browsers.ts';
import { csrfOf, dropEndedSession, type Interaction, openFlow, parameterOf } from '../interaction/open-flow.ts';
import { preferencesOf } from '../pages/language.ts';
import { viewOf } from '../pages/layout.ts';
import { calls, type ExperienceCall } from './calls.ts';

interface ExperienceOptions {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  tools: Tools;
}

const MAX_JSON_BYTES = 64 * 1024;

/** The error of `submit` for each missing step. */
const MISSING_CODES = {
  identification: 'session.identifier_required',
  newPassword: 'session.missing_profile',
  secondFactor: 'session.mfa_required',
  profile: 'session.missing_profile',
  enrolment: 'session.mfa_enrolment_required',
} as const;

/** `/api/experience`: the actions of the pages as JSON, with the interaction's cookie and its CSRF token. */
export function experienceRoutes({ providerOf, tools }: ExperienceOptions): Router {
  const router = Router({ caseSensitive: true });
  router.use(express.json({ limit: MAX_JSON_BYTES, type: 'application/json' }));

  const open = async (request: Request, response: Response) => {
    response.set('Cache-Control', 'no-store');
    const { tenant } = contextOf(request);
    const interaction = await findExperience(await providerOf(tenant), tenant, request);
    return { interaction, flow: await openFlow(request, interaction, tools) };
  };

  const serve =
    ({ run, body }: ExperienceCall): RequestHandler =>
    async (request, response) => {
      const { flow, interaction } = await open(request, response);
      requireCsrfToken(request, csrfOf(interaction), request.headers['x-csrf-token']);
      if (flow.saved.finishedAt !== null) throw new ServiceError('session.conflict');
      const given = (body ? parser(body, 'body')(request.body ?? {}) : undefined) as never;
      const uiLocales = parameterOf(interaction, 'ui_locales');
      const { t } = viewOf(flow.tenant, flow.settings, { ...preferencesOf(request, flow.tenant), uiLocales });
      const result = await run(flow, given, t, request.params as Record<string, string>).catch((error: unknown) => {
        if (error instanceof ServiceError) tools.onOutcome?.(progressOf(flow).event, error.code);
        throw error;
      });
      await saveProgress(flow);
      if (result === undefined) response.status(204).end();
      else response.json(result);
    };

  for (const [route, call] of Object.entries(calls)) {
    const [method, path] = route.split(' ') as ['PUT' | 'POST', string];
    router[method.toLowerCase() as 'put' | 'post'](path, serve(call));
  }

  /** The state of the interaction. Custom sign-in pages also get the CSRF token from it. */
  router.get('/interaction', async (request, response) => {
    const { flow, interaction } = await open(request, response);
    const { event, identifier, verifications, userId } = progressOf(flow);
    const missing = await missingOf(flow);
    response.json({
      interactionEvent: event,
      identifier,
      userId,
      verificationRecords: verifications.map(({ id, type, isVerified }) => ({ id, type, isVerified })),
      missing,
      csrfToken: csrfOf(interaction),
    });
  });

  router.post('/submit', async (request, response) => {
    const { flow, interaction } = await open(request, response);
    requireCsrfToken(request, csrfOf(interaction), request.headers['x-csrf-token']);
    if (flow.saved.finishedAt === null) {
      const missing = await missingOf(flow);
      if (missing) throw new ServiceError(MISSING_CODES[missing.what], { data: { ...missing } });
      await complete(flow);
    }
    response.json({ redirectTo: await redirectToOf(response, interaction, flow) });
  });

  return router;
}

/**
 * Returns the URL to continue at. After a reset the user is not signed in yet: a sign-in follows on the pages, with all that
 * the tenant requires.
 */
async function redirectToOf(response: Response, interaction: Interaction, flow: Flow): Promise<string> {
  const progress = progressOf(flow);
  if (flow.saved.finishedAt === null || progress.userId === undefined) {
    await dropEndedSession(interaction, flow);
    return `${flow.tenant.endpoint}/sign-in/${flow.uid}`;
  }
  await rememberBrowser(response, flow, progress.userId);
  interaction.result = { login: loginOf(progress, progress.userId) };
  await interaction.save(interaction.exp - Math.floor(flow.now / 1000));
  return interaction.returnTo;
}
