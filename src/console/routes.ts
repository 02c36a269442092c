import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { type AdministratorRole, requireRole } from '../base/administrator-role.ts';
import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Commits } from '../database/notices/commits.ts';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import { refuseControlInForm } from '../http/control-characters.ts';
import { html } from '../pages/html.ts';
import { sendPage } from '../pages/send.ts';
import type { Tenant, Tenants } from '../tenants.ts';
import { roleForRoute } from './access.ts';
import { consoleRequestOf, type Rows } from './console-request.ts';
import { sendExport } from './export/send-export.ts';
import { findItems } from './find/find.ts';
import { sectionsOf, sendInFrame } from './frame.ts';
import { LiveStreams } from './live.ts';
import { moduleRoutes } from './modules.ts';
import { SHOWN_HEADER } from './parts/live.ts';
import { note } from './parts/parts.ts';
import { pageOf, places, routes } from './places/index.ts';
import { sendPreview } from './preview.ts';
import { errorPages, sendPlain } from './respond.ts';
import type { ConsoleRequest, Page, Place, Route, ServiceSettings, SubmitForm } from './route.ts';
import { leaveFlash, takeFlash } from './session/flash.ts';
import { formOf, formPath, isFromConsole, requireOwnForm } from './session/form-token.ts';
import { KEPT, sendSessionEnded, valuesOfEarlierSession } from './session/kept-form.ts';
import { type Administrator, closeSession, findAdministrator } from './session/session.ts';
import { signInRoutes, signInUrl } from './session/sign-in.ts';
import { parseUpload, readUpload } from './uploads.ts';

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
  /** The administrator's role in the tenant. */
  role: AdministratorRole;
}

/** Without a session, asks to sign in: the administrator returns to the page afterwards, and a form is kept until then. */
function askToSignIn({ secrets, clock }: ConsoleParts, request: Request, response: Response, home: Tenant): void {
  const isGet = request.method === 'GET';
  const to = isGet ? request.url : pageOf(request.path);
  const form = { submitted: formOf(request), path: formPath(request, home), to };
  if (isGet || !isFromConsole(request, home)) response.redirect(303, signInUrl(home, to));
  else sendSessionEnded(response, home, form, { secrets, now: clock() });
}

const signedIn =
  (parts: ConsoleParts, handle: (opened: SignedIn) => Promise<void>): RequestHandler =>
  async (request, response) => {
    const { tenant: home } = contextOf(request);
    const administrator = await findAdministrator(request, home, parts.clock());
    if (!administrator) return askToSignIn(parts, request, response, home);
    await parseUpload(request);
    await handle({ ...parts, request, response, home, administrator });
  };

/** Finds the tenant that the path names. @throws 404 `request.not_found` unless the administrator manages it */
const managing = (parts: ConsoleParts, handle: (opened: Managing) => Promise<void>): RequestHandler =>
  signedIn(parts, async (opened) => {
    const id = String(opened.request.params.tenant);
    const role = opened.administrator.roles.get(id);
    const tenant = role && (await parts.tenants.byId(id));
    if (!tenant) throw new ServiceError('request.not_found');
    await handle({ ...opened, tenant, role });
  });

/** @throws 403 `administrator.role_required` */
const permitted =
  (route: Route, handle: (opened: Managing) => Promise<void>) =>
  async (opened: Managing): Promise<void> => {
    requireRole(opened.role, roleForRoute(route, opened.tenant.id));
    await handle(opened);
  };

/** Sends a page in the console's frame, which lists the administrator's tenants. */
async function send({ response, home, tenants }: SignedIn, request: ConsoleRequest, page: Page, status = 200) {
  const { roles } = request.administrator;
  const managed = (await tenants.all()).filter(({ id }) => roles.has(id));
  sendInFrame(response, status, request, page, { home, tenants: managed });
}

/** Sends the content alone: the frame around it does not change. A refresh leaves the flash for the page itself. */
function sendRefresh(response: Response, { content }: Page): void {
  sendPage(response, 200, content);
}

const openPage =
  ({ show }: Route) =>
  async (opened: Managing): Promise<void> => {
    const { request, response, home, secrets, administrator } = opened;
    if (request.get(SHOWN_HEADER) !== undefined) return sendRefresh(response, await show(consoleRequestOf(opened)));
    const flash = takeFlash(request, response, home, secrets, administrator);
    const consoleRequest = consoleRequestOf({ ...opened, flash });
    await send(opened, consoleRequest, await show(consoleRequest));
  };

/**
 * Shows the form again that this administrator sent in an earlier session. Nothing is changed until it is sent again. Anyone
 * else gets the empty page. Returns false if the form is neither.
 */
async function showEarlierForm({ show }: Route, opened: Managing, request: ConsoleRequest<never>): Promise<boolean> {
  const { home, secrets, clock, administrator } = opened;
  if (!isFromConsole(opened.request, home)) return false;
  const form = { submitted: request.submitted, path: formPath(opened.request, home) };
  const values = valuesOfEarlierSession(administrator, form, { secrets, now: clock() });
  if (!values) {
    const isKept = request.submitted.has(KEPT);
    if (isKept) opened.response.redirect(303, `${home.path}/console${pageOf(opened.request.path)}`);
    return isKept;
  }
  const message = 'Your session had ended, so nothing was saved. Check the form, then submit it again.';
  const error = new ServiceError('session.forbidden', { message });
  await send(opened, request, await show({ ...request, submitted: values }, { values, error }));
  return true;
}

/** Runs the handler of a form, then redirects. If it is refused, the form is shown again with the error. */
const submitForm =
  (route: Route, submit: SubmitForm<never>) =>
  async (opened: Managing): Promise<void> => {
    const { response, home, tenant, secrets, administrator } = opened;
    const consoleRequest = consoleRequestOf(opened);
    const { submitted: values } = consoleRequest;
    try {
      requireOwnForm(opened.request, home, administrator);
    } catch (error) {
      if (await showEarlierForm(route, opened, consoleRequest)) return;
      throw error;
    }
    try {
      const next = await submit(consoleRequest);
      if ('content' in next) return await send(opened, consoleRequest, next);
      const { to, flash } = next;
      const [path = ''] = to.split('?');
      if (flash) leaveFlash(response, home, secrets, { administrator, path: `/${tenant.id}${path}`, flash });
      response.redirect(303, consoleRequest.to(to));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await send(opened, consoleRequest, await route.show(consoleRequest, { values, error }), error.status);
    }
  };

/** Ends the session of the console and that of the sign-in pages. */
async function signOut(opened: SignedIn): Promise<void> {
  const { request, response, home, administrator, providerOf } = opened;
  requireOwnForm(request, home, administrator);
  await closeSession(response, home, administrator);
  const provider = await providerOf(home);
  const session = await provider.Session.get(provider.createContext(request, response) as never);
  await session.destroy();
  const again = html`<a class="button primary" href="${home.path}/console">Sign in</a>`;
  sendPlain(response, 200, home, 'You are signed out', again);
}

/** Redirects to the default tenant if the administrator manages it, or else to the first one. */
async function openFirstTenant({ response, home, administrator }: SignedIn): Promise<void> {
  const { name, roles } = administrator;
  const tenantId = roles.has(home.id) ? home.id : roles.keys().next().value;
  if (tenantId !== undefined) return response.redirect(303, home.path + startPath(tenantId));
  const reason = `You are signed in as ${name}, but you don’t manage any tenant. Ask an operator to add you as an administrator.`;
  sendPlain(response, 403, home, 'No tenants to manage', note('info', reason));
}

const openTenant = async ({ response, home, tenant }: Managing): Promise<void> =>
  response.redirect(303, home.path + startPath(tenant.id));

/** Answers the command palette and the pickers of pages, in JSON. */
const sendFound = async (opened: Managing): Promise<void> => {
  const items = await findItems(consoleRequestOf({ ...opened, flash: undefined }));
  opened.response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }).json(items);
};

/** Downloads a list as a CSV file. */
const sendCsv = (opened: Managing): Promise<void> =>
  sendExport(opened.response, consoleRequestOf({ ...opened, flash: undefined }), String(opened.request.params.name));

/** Sends the preview of the brand page. A draft comes as a form. */
async function openPreview(opened: Managing): Promise<void> {
  const request = consoleRequestOf({ ...opened, flash: undefined });
  if (opened.request.method === 'POST') requireOwnForm(opened.request, opened.home, opened.administrator);
  await sendPreview(opened.response, opened.home, request);
}

/** Returns the routes of `/console`, which only the default tenant serves. */
export function consoleRoutes(parts: ConsoleParts): { router: Router; close(): void } {
  const live = new LiveStreams(parts.commits);
  const openStream = async ({ request, response, tenant }: Managing): Promise<void> => {
    const { searchParams } = new URL(request.originalUrl, 'http://localhost');
    live.open(request, response, tenant.id, searchParams.get('tables'));
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.use(moduleRoutes(), signInRoutes(parts), parseForm, readUpload);
  router.post('/-/sign-out', signedIn(parts, signOut));
  router.get('/', signedIn(parts, openFirstTenant));
  router.get('/:tenant', managing(parts, openTenant));
  router.get('/:tenant/-/live', managing(parts, openStream));
  router.get('/:tenant/-/find', managing(parts, sendFound));
  router.get('/:tenant/-/export/:name.csv', managing(parts, sendCsv));
  router.get('/:tenant/-/sign-in-preview', managing(parts, openPreview));
  router.post('/:tenant/-/sign-in-preview', managing(parts, openPreview));
  for (const route of routes) {
    if (route.isPage) router.get(`/:tenant${route.path}`, managing(parts, permitted(route, openPage(route))));
    if (route.submit)
      router.post(`/:tenant${route.path}`, managing(parts, permitted(route, submitForm(route, route.submit))));
  }
  router.use(noSuchPage, errorPages);
  return { router, close: () => live.close() };
}
