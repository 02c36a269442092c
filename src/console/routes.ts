import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import { isSameSecret } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Commits } from '../database/notices/commits.ts';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import { refuseControlInForm } from '../http/control-characters.ts';
import { html } from '../pages/html.ts';
import type { Tenant, Tenants } from '../tenants.ts';
import { consoleRequestOf, type Rows } from './console-request.ts';
import { sectionsOf, sendInFrame } from './frame.ts';
import { LiveStreams } from './live.ts';
import { assetRoutes } from './modules.ts';
import { note } from './parts/parts.ts';
import { places, routes } from './places/index.ts';
import { errorPages, sendPlain } from './respond.ts';
import type { ConsoleRequest, Page, Place, Route, ServiceSettings, SubmitForm } from './route.ts';
import { leaveFlash, takeFlash } from './session/flash.ts';
import { type Administrator, closeSession, csrfTokenOf, findAdministrator } from './session/session.ts';
import { signInRoutes, signInUrl } from './session/sign-in.ts';

export interface ConsoleParts {
  tenants: Tenants;
  rows: Rows;
  commits: Commits;
  secrets: SecretBox;
  clock: Clock;
  settings: ServiceSettings;
  providerOf(tenant: Tenant): Promise<Provider>;
}

/** Limit of a form body. Claims scripts are the largest. */
const MAX_FORM_BYTES = 1024 * 1024;

const parseForm = express.text({
  type: 'application/x-www-form-urlencoded',
  limit: MAX_FORM_BYTES,
  verify: refuseControlInForm,
});

const noSuchPage = (): never => {
  throw new ServiceError('request.not_found');
};

/** Path of a tenant's start page. */
const startPath = (tenantId: string): string =>
  `/console/${tenantId}${sectionsOf(places[0] as Place, tenantId)[0]?.path}`;

/** Protects against CSRF: a form of another site has neither the token nor this origin. @throws 403 `session.forbidden` */
function requireOwnForm(request: Request, administrator: Administrator, submittedToken: string | null): void {
  const { origin = '', 'sec-fetch-site': site = 'same-origin' } = request.headers;
  const isOwnOrigin = origin === '' || origin === new URL(contextOf(request).tenant.endpoint).origin;
  const isOwnToken = isSameSecret(submittedToken ?? '', csrfTokenOf(administrator));
  if (!isOwnOrigin || site !== 'same-origin' || !isOwnToken) throw new ServiceError('session.forbidden');
}

type Handle = (request: Request, response: Response, administrator: Administrator) => Promise<void>;

/** Redirects to the sign-in if there is no session. The administrator returns to the page afterwards. */
const signedIn =
  (clock: Clock, handle: Handle): RequestHandler =>
  async (request, response) => {
    const { tenant: home } = contextOf(request);
    const administrator = await findAdministrator(request, home, clock());
    if (administrator) await handle(request, response, administrator);
    else response.redirect(303, signInUrl(home, request.method === 'GET' ? request.url : ''));
  };

/** Returns the tenant named by the path. @throws 404 `request.not_found` unless the administrator manages it */
async function managedTenant(tenants: Tenants, request: Request, { tenantIds }: Administrator): Promise<Tenant> {
  const id = String(request.params.tenant);
  const tenant = tenantIds.includes(id) ? await tenants.byId(id) : undefined;
  if (!tenant) throw new ServiceError('request.not_found');
  return tenant;
}

/** Serves the pages and forms of the places. */
function placeRoutes(parts: ConsoleParts): Router {
  const { tenants, secrets, clock } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  const send = async (response: Response, home: Tenant, request: ConsoleRequest, page: Page, status = 200) => {
    const { tenantIds } = request.administrator;
    const managed = (await tenants.all()).filter(({ id }) => tenantIds.includes(id));
    sendInFrame(response, status, request, page, { home, tenants: managed });
  };

  const openPage = ({ show }: Route): RequestHandler =>
    signedIn(clock, async (request, response, administrator) => {
      const { tenant: home } = contextOf(request);
      const tenant = await managedTenant(tenants, request, administrator);
      const flash = takeFlash(request, response, home, secrets, administrator);
      const consoleRequest = consoleRequestOf({ ...parts, request, tenant, administrator, flash });
      await send(response, home, consoleRequest, await show(consoleRequest));
    });

  const handleForm = ({ show }: Route, submit: SubmitForm): RequestHandler =>
    signedIn(clock, async (request, response, administrator) => {
      const { tenant: home } = contextOf(request);
      const tenant = await managedTenant(tenants, request, administrator);
      const consoleRequest = consoleRequestOf({ ...parts, request, tenant, administrator, flash: undefined });
      const { submitted: values } = consoleRequest;
      requireOwnForm(request, administrator, values.get('csrf'));
      try {
        const next = await submit(consoleRequest);
        if ('content' in next) return await send(response, home, consoleRequest, next);
        const { to, flash } = next;
        const [path = ''] = to.split('?');
        if (flash) leaveFlash(response, home, secrets, { administrator, path: `/${tenant.id}${path}`, flash });
        response.redirect(303, consoleRequest.to(to));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        await send(response, home, consoleRequest, await show(consoleRequest, { values, error }), error.status);
      }
    });

  for (const route of routes) {
    if (route.isPage) router.get(`/:tenant${route.path}`, openPage(route));
    if (route.submit) router.post(`/:tenant${route.path}`, handleForm(route, route.submit));
  }
  return router;
}

/** Ends the session of the console and that of the sign-in pages. */
const signOut =
  ({ providerOf }: ConsoleParts): Handle =>
  async (request, response, administrator) => {
    const { tenant } = contextOf(request);
    requireOwnForm(request, administrator, new URLSearchParams(String(request.body)).get('csrf'));
    await closeSession(response, tenant, administrator);
    const provider = await providerOf(tenant);
    const session = await provider.Session.get(provider.createContext(request, response) as never);
    await session.destroy();
    const again = html`<a class="button primary" href="${tenant.path}/console">Sign in</a>`;
    sendPlain(response, 200, tenant, 'You are signed out', again);
  };

/** Redirects to the default tenant if the administrator manages it, or else to the first one. */
const openFirstTenant: Handle = async (request, response, { name, tenantIds }) => {
  const { tenant: home } = contextOf(request);
  const tenantId = tenantIds.includes(home.id) ? home.id : tenantIds[0];
  if (tenantId !== undefined) return response.redirect(303, home.path + startPath(tenantId));
  const reason = `You are signed in as ${name}, but you don’t manage any tenant. Ask an operator to add you as an administrator.`;
  sendPlain(response, 403, home, 'No tenants to manage', note('info', reason));
};

/** Returns the routes of `/console`, which only the default tenant serves. */
export function consoleRoutes(parts: ConsoleParts): { router: Router; close(): void } {
  const { tenants, commits, clock } = parts;
  const live = new LiveStreams(commits);
  const openTenant: Handle = async (request, response, administrator) => {
    const { id } = await managedTenant(tenants, request, administrator);
    response.redirect(303, contextOf(request).tenant.path + startPath(id));
  };
  const openStream: Handle = async (request, response, administrator) => {
    const { id } = await managedTenant(tenants, request, administrator);
    live.open(request, response, id, new URL(request.originalUrl, 'http://localhost').searchParams.get('tables'));
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.use(assetRoutes(), signInRoutes(parts), parseForm);
  router.post('/-/sign-out', signedIn(clock, signOut(parts)));
  router.get('/', signedIn(clock, openFirstTenant));
  router.get('/:tenant', signedIn(clock, openTenant));
  router.get('/:tenant/-/live', signedIn(clock, openStream));
  router.use(placeRoutes(parts), noSuchPage, errorPages);
  return { router, close: () => live.close() };
}
