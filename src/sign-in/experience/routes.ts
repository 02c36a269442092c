import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { contextOf } from '../../http/context.ts';
import { parser } from '../../http/validate.ts';
import type { Tenant } from '../../tenants.ts';
import { complete, missingOf } from '../actions.ts';
import { loginOf } from '../authentication-methods.ts';
import { type Flow, progressOf, type Tools } from '../flow.ts';
import { saveProgress } from '../interaction-pages.ts';
import { rememberBrowser } from '../known-browsers.ts';
import { csrfTokenOf, type Interaction, openFlow, requireCsrfToken } from '../open-flow.ts';
import { basePathOf, viewOf } from '../respond.ts';
import { type Call, calls } from './calls.ts';

interface ExperienceOptions {
  providerOf(tenant: Tenant): Promise<Provider> | Provider;
  tools: Tools;
}

const MAX_JSON_BYTES = 64 * 1024;

/** Lets the API's path know the interaction, whose own cookie is bound to the path of its pages. */
const cookieNameOf = ({ id, endpoint }: Tenant): string =>
  `${endpoint.startsWith('https:') ? '__Secure-' : ''}${id}_experience`;

/** Set with every page of an interaction; of several in one browser the last one shown is the API's. */
export function setExperienceCookie(response: Response, tenant: Tenant, uid: string): void {
  response.cookie(cookieNameOf(tenant), uid, {
    path: `${basePathOf(tenant)}/api/experience`,
    httpOnly: true,
    sameSite: 'strict',
    secure: tenant.endpoint.startsWith('https:'),
  });
}

function cookieOf({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

interface Opened {
  flow: Flow;
  interaction: Interaction;
  provider: Provider;
}

/** What stands between here and `submit`, as its code. */
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

  const open = async (request: Request, response: Response): Promise<Opened> => {
    response.set('Cache-Control', 'no-store');
    const { tenant } = contextOf(request);
    const provider = await providerOf(tenant);
    const uid = cookieOf(request, cookieNameOf(tenant));
    const found = uid ? await provider.Interaction.find(uid) : undefined;
    if (found?.prompt.name !== 'login') throw new ServiceError('session.not_found');
    const interaction = found as Interaction;
    return { provider, interaction, flow: await openFlow(request, interaction, tools) };
  };

  const serve =
    ({ run, body }: Call): RequestHandler =>
    async (request, response) => {
      const { flow, interaction } = await open(request, response);
      requireCsrfToken(csrfTokenOf(interaction), request.headers['x-csrf-token'], request);
      if (flow.saved.finishedAt !== null) throw new ServiceError('session.conflict');
      const given = (body ? parser(body, 'body')(request.body ?? {}) : undefined) as never;
      const { t } = viewOf(flow.tenant, flow.settings, { acceptLanguage: request.headers['accept-language'] });
      const answer = await run(flow, given, t, request.params as Record<string, string>).catch((error: unknown) => {
        if (error instanceof ServiceError) tools.onOutcome?.(progressOf(flow).event, error.code);
        throw error;
      });
      await saveProgress(flow);
      if (answer === undefined) response.status(204).end();
      else response.json(answer);
    };

  for (const [route, call] of Object.entries(calls)) {
    const [method, path] = route.split(' ') as ['PUT' | 'POST', string];
    router[method.toLowerCase() as 'put' | 'post'](path, serve(call));
  }

  /** Also how a page of one's own gets the CSRF token. */
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
      csrfToken: csrfTokenOf(interaction),
    });
  });

  router.post('/submit', async (request, response) => {
    const { flow, interaction } = await open(request, response);
    requireCsrfToken(csrfTokenOf(interaction), request.headers['x-csrf-token'], request);
    if (flow.saved.finishedAt === null) {
      const missing = await missingOf(flow);
      if (missing) throw new ServiceError(MISSING_CODES[missing.what], { data: { ...missing } });
      await complete(flow);
    }
    const { userId } = progressOf(flow);
    if (userId !== undefined) rememberBrowser(response, flow, userId);
    response.json({ redirectTo: await redirectToOf(interaction, flow) });
  });

  return router;
}

/** After a reset nobody is signed in: the pages go on from there. */
async function redirectToOf(interaction: Interaction, flow: Flow): Promise<string> {
  const progress = progressOf(flow);
  if (progress.userId === undefined) return `${flow.tenant.endpoint}/sign-in/${flow.uid}`;
  interaction.result = { login: loginOf(progress, progress.userId) };
  await interaction.save(interaction.exp - Math.floor(flow.now / 1000));
  return interaction.returnTo;
}
