import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Commits } from '../database/notices/commits.ts';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import { refuseControlInForm } from '../http/control-characters.ts';
import { csrfTokenOf, requireCsrfToken } from '../http/csrf.ts';
import { html } from '../pages/html.ts';
import type { Tenant, Tenants } from '../tenants.ts';
import { consoleRequestOf, type Rows } from './console-request.ts';
import { sectionsOf, sendInFrame } from './frame.ts';
import { LiveStreams } from './live.ts';
import { moduleRoutes } from './modules.ts';
import { note } from './parts/parts.ts';
import { places, routes } from './places/index.ts';
import { errorPages, sendPlain } from './respond.ts';
import type { ConsoleRequest, Page, Place, Route, ServiceSettings, SubmitForm } from './route.ts';
import { leaveFlash, takeFlash } from './session/flash.ts';
import { type Administrator, closeSession, findAdministrator } from './session/session.ts';
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

/** A request by a signed-in administrator. */
interface SignedIn extends ConsoleParts {
  request: Request;
  response: Response;
  /** The default tenant, which serves the console. */
  home: Tenant;
  administrator: Administrator;
}

/** A request for a tenant that the administrator manages. */
interface Managing extends SignedIn {
  tenant: Tenant;
}

/** Checks that a form is one of the console's, which also names the console as its origin. @throws 403 `session.forbidden` */
function requireOwnForm({ request, home, administrator }: SignedIn, submitted: URLSearchParams): void {
  requireCsrfToken(request, csrfTokenOf(administrator.token), submitted.get('csrf'));
  const { origin } = request.headers;
  if (origin && origin !== new URL(home.endpoint).origin) throw new ServiceError('session.forbidden');
}

/** Redirects to the sign-in if there is no session. The administrator returns to the page afterwards. */
const signedIn =
  (parts: ConsoleParts, handle: (opened: SignedIn) => Promise<void>): RequestHandler =>
  async (request, response) => {
    const { tenant: home } = contextOf(request);
    const administrator = await findAdministrator(request, home, parts.clock());
    if (administrator) await handle({ ...parts, request, response, home, administrator });
    else response.redirect(303, signInUrl(home, request.method === 'GET' ? request.url : ''));
  };

/** Finds the tenant that the path names. @throws 404 `request.not_found` unless the administrator manages it */
const managing = (parts: ConsoleParts, handle: (opened: Managing) => Promise<void>): RequestHandler =>
  signedIn(parts, async (opened) => {
    const id = String(opened.request.params.tenant);
    const tenant = opened.administrator.tenantIds.includes(id) ? await parts.tenants.byId(id) : undefined;
    if (!tenant) throw new ServiceError('request.not_found');
    await handle({ ...opened, tenant });
  });

/** Sends a page in the console's frame, which lists the administrator's tenants. */
async function send({ response, home, tenants }: SignedIn, request: ConsoleRequest, page: Page, status = 200) {
  const { tenantIds } = request.administrator;
  const managed = (await tenants.all()).filter(({ id }) => tenantIds.includes(id));
  sendInFrame(response, status, request, page, { home, tenants: managed });
}

const openPage =
  ({ show }: Route) =>
  async (opened: Managing): Promise<void> => {
    const { request, response, home, secrets, administrator } = opened;
    const flash = takeFlash(request, response, home, secrets, administrator);
    const consoleRequest = consoleRequestOf({ ...opened, flash });
    await send(opened, consoleRequest, await show(consoleRequest));
  };

/** Runs the handler of a form, then redirects. If it is refused, the form is shown again with the error. */
const submitForm =
  ({ show }: Route, submit: SubmitForm<never>) =>
  async (opened: Managing): Promise<void> => {
    const { response, home, tenant, secrets, administrator } = opened;
    const consoleRequest = consoleRequestOf({ ...opened, flash: undefined });
    const { submitted: values } = consoleRequest;
    requireOwnForm(opened, values);
    try {
      const next = await submit(consoleRequest);
      if ('content' in next) return await send(opened, consoleRequest, next);
      const { to, flash } = next;
      const [path = ''] = to.split('?');
      if (flash) leaveFlash(response, home, secrets, { administrator, path: `/${tenant.id}${path}`, flash });
      response.redirect(303, consoleRequest.to(to));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await send(opened, consoleRequest, await show(consoleRequest, { values, error }), error.status);
    }
  };

/** Ends the session of the console and that of the sign-in pages. */
async function signOut(opened: SignedIn): Promise<void> {
  const { request, response, home, administrator, providerOf } = opened;
  requireOwnForm(opened, new URLSearchParams(String(request.body)));
  await closeSession(response, home, administrator);
  const provider = await providerOf(home);
  const session = await provider.Session.get(provider.createContext(request, response) as never);
  await session.destroy();
  const again = html`<a class="button primary" href="${home.path}/console">Sign in</a>`;
  sendPlain(response, 200, home, 'You are signed out', again);
}

/** Redirects to the default tenant if the administrator manages it, or else to the first one. */
async function openFirstTenant({ response, home, administrator }: SignedIn): Promise<void> {
  const { name, tenantIds } = administrator;
  const tenantId = tenantIds.includes(home.id) ? home.id : tenantIds[0];
  if (tenantId !== undefined) return response.redirect(303, home.path + startPath(tenantId));
  const reason = `You are signed in as ${name}, but you don’t manage any tenant. Ask an operator to add you as an administrator.`;
  sendPlain(response, 403, home, 'No tenants to manage', note('info', reason));
}

const openTenant = async ({ response, home, tenant }: Managing): Promise<void> =>
  response.redirect(303, home.path + startPath(tenant.id));

/** Returns the routes of `/console`, which only the default tenant serves. */
export function consoleRoutes(parts: ConsoleParts): { router: Router; close(): void } {
  const live = new LiveStreams(parts.commits);
  const openStream = async ({ request, response, tenant }: Managing): Promise<void> => {
    const { searchParams } = new URL(request.originalUrl, 'http://localhost');
    live.open(request, response, tenant.id, searchParams.get('tables'));
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.use(moduleRoutes(), signInRoutes(parts), parseForm);
  router.post('/-/sign-out', signedIn(parts, signOut));
  router.get('/', signedIn(parts, openFirstTenant));
  router.get('/:tenant', managing(parts, openTenant));
  router.get('/:tenant/-/live', managing(parts, openStream));
  for (const route of routes) {
    if (route.isPage) router.get(`/:tenant${route.path}`, managing(parts, openPage(route)));
    if (route.submit) router.post(`/:tenant${route.path}`, managing(parts, submitForm(route, route.submit)));
  }
  router.use(noSuchPage, errorPages);
  return { router, close: () => live.close() };
}
