import type { TenantAdministrator } from '../admin/administrators.ts';
import type { AdministratorRole } from '../base/administrator-role.ts';
import type { Table } from '../database/tables/index.ts';
import type { ServiceError } from '../errors.ts';
import type { PathParams } from '../http/operations/operation.ts';
import type { Html } from '../pages/html.ts';
import type { Tenant } from '../tenants.ts';
import type { ApiRoute, Perform } from './api.ts';
import type { Administrator } from './session/session.ts';

/**
 * The building blocks of the console. A place is a list of routes below one path. A route is a page, a form, or an action:
 *
 *     page('/users', showUsers)                       GET renders what `showUsers` returns, in the console's frame
 *     form('/users/new', showNewUser, createUser, 'POST /users')
 *                                                     GET renders the form; POST runs `createUser`, then redirects
 *     action('/users/:id/suspend', showUser, suspend, 'PATCH /users/:userId/is-suspended')
 *                                                     POST only; `showUser` renders the page that shows an error
 *
 * The last argument is the operation that the form performs. It determines the role that a form and its page need; links
 * and buttons that lead to them are left out for other administrators.
 * If `submit` throws a ServiceError, the form is shown again with the submitted values and the error.
 * Pages read and change data only through `request.perform`, which runs an operation of the Management API: the request is
 * validated, audited, and announced to webhooks as if it had come over HTTP.
 */

/** Path parameters by name. */
export type Params = Record<string, string>;

/** A request by an administrator who was found to manage this tenant. @template P the path parameters of the page */
export interface ConsoleRequest<P = unknown> {
  administrator: Administrator;
  /** The managed tenant, named by the path. */
  tenant: Tenant;
  /** The administrator's role in this tenant. */
  role: AdministratorRole;
  /**
   * Returns the least role that may open this path below the tenant's, or submit a form to it; undefined if the
   * administrator may.
   */
  missingRole(path: string, how?: 'open' | 'submit'): AdministratorRole | undefined;
  params: P;
  query: URLSearchParams;
  /** The submitted form; empty for a GET. */
  submitted: URLSearchParams;
  now: number;
  /** If the browser refreshes this page: the digests of the parts that it shows. See `parts/live.ts`. */
  shown: ReadonlySet<string>;
  csrf: string;
  /** Path of this page, below the tenant's. */
  path: string;
  /** Returns the URL path of a page of this tenant. */
  to(path: string): string;
  /** Runs an operation of the Management API (for tenant `default`, also of the Operator API) as the administrator. */
  perform: Perform<P>;
  /** Settings of the service that pages mention. */
  settings: ServiceSettings;
  /** Administrator rights. They are rows of the default tenant that no API operation reaches. */
  rights: AdministratorRights;
  /** The message that the last action left for this page. */
  flash: Flash | undefined;
}

/** Settings of the operator, for texts that state them. */
export interface ServiceSettings {
  /** Seconds before each delivery attempt of a webhook, counted from the end of the previous one. */
  retryScheduleSeconds: readonly number[];
  /** Time that an endpoint has to respond to a delivery attempt. */
  deliveryTimeoutMs: number;
  /** Undefined if signing keys are not rotated automatically. */
  keyRotationDays: number | undefined;
  /** Time between the publication of a signing key and its first use. */
  keyPublishedMs: number;
}

/** Adds, changes and removes administrators. Each change requires the role owner. */
export interface AdministratorRights {
  /** Returns the administrators of this tenant. */
  list(): Promise<TenantAdministrator[]>;
  /** Lets the current administrator manage a tenant that they have just created. */
  addSelf(tenantId: string): Promise<void>;
  /**
   * Gives a user of the default tenant a role in this tenant.
   *
   * @param name username, email address, or id
   * @throws 400 `guard.invalid_input` if the user or the role is unknown, or the user already manages the tenant
   */
  add(name: string, role: string): Promise<void>;
  /** Changes the role of an administrator. @throws 400 `guard.invalid_input`, 422 `administrator.is_last` */
  change(userId: string, role: string): Promise<void>;
  /** Removes an administrator of this tenant. @throws 422 `administrator.is_last` */
  remove(userId: string): Promise<void>;
}

/** A message on the page that follows an action. It is kept in a sealed cookie, so it may contain a secret. */
export interface Flash {
  text: string;
  /** The form that undoes the action: its path and fields. */
  undo?: { path: string; fields?: Record<string, string> };
  /** Values to copy. They are shown only once. */
  secrets?: { label: string; value: string }[];
}

/** A refused form: the submitted values and the error, to show the form again. */
export interface RefusedForm {
  values: URLSearchParams;
  error: ServiceError;
}

export interface Page {
  title: string;
  /** One sentence about the purpose of the page. */
  lead?: string | Html | undefined;
  /** Buttons next to the title, the primary one first. */
  actions?: Html | false | undefined;
  /** Link to the parent page. */
  back?: { path: string; label: string } | undefined;
  content: Html;
  /** Tables to watch: when one changes, elements marked `data-live` are refreshed. They need an `id`. */
  live?: Table[];
  /** Client modules of this page: `console/plot` is `assets/plot.js`. */
  modules?: string[];
}

/** Redirects to a path below the tenant's. */
export interface Redirect {
  to: string;
  flash?: Flash;
}

export type ShowPage<P = unknown> = (request: ConsoleRequest<P>, refused?: RefusedForm) => Promise<Page> | Page;
/** Handles a submitted form. It redirects after a change; it returns a page if nothing was changed, such as a test result. */
export type SubmitForm<P = unknown> = (request: ConsoleRequest<P>) => Promise<Redirect | Page>;

/** A route of any path. Its handlers were checked against its path parameters when it was declared. */
export interface Route {
  path: string;
  show: ShowPage<never>;
  /** Undefined if the page accepts no form. */
  submit: SubmitForm<never> | undefined;
  /** True if GET renders the page at this path. */
  isPage: boolean;
  needs: Needs;
}

/** The operation that a form performs, whose role it needs, or a role, if it performs no operation. */
export type Needs = ApiRoute | AdministratorRole;

/** `'/webhooks/:id'` → `{ id: string }`. The handlers of a path that the compiler does not know take any. */
type ParamsOf<Path extends string> = string extends Path ? never : PathParams<Path>;

/** Pages read through operations, each of which checks the role. So most pages are open to every role. */
export const page = <Path extends string>(
  path: Path,
  show: ShowPage<ParamsOf<Path>>,
  needs: Needs = 'viewer',
): Route => ({ path, show, submit: undefined, isPage: true, needs });

type DeclareForm = <Path extends string>(
  path: Path,
  show: ShowPage<ParamsOf<Path>>,
  submit: SubmitForm<ParamsOf<Path>>,
  needs: Needs,
) => Route;

export const form: DeclareForm = (path, show, submit, needs) => ({ path, show, submit, isPage: true, needs });
export const action: DeclareForm = (path, show, submit, needs) => ({ path, show, submit, isPage: false, needs });

/** Replaces the parameters of a path with their values. */
export const fillPath = <Path extends string>(
  path: Path,
  params: string extends Path ? Params : PathParams<Path>,
): string => path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Params)[name] ?? ''));

/** A main section of the console, listed in the rail. */
export interface Place {
  /** First segment of its pages' paths. */
  path: string;
  name: string;
  /** Keyboard shortcut: `g`, then this letter. */
  letter: string;
  /** Its pages in the rail. The first is its start page. */
  sections: Section[];
  /** Further routes. They are matched after those of the sections. */
  routes?: Route[];
}

export interface Section {
  name: string;
  /** Path of its start page. */
  path: string;
  routes: readonly Route[];
  /** For operators: only tenant `default` has this section. */
  isOperators: boolean;
}

/** A section whose start page is the first of its routes. */
export const section = (name: string, routes: readonly Route[], { isOperators = false } = {}): Section => ({
  name,
  path: routes[0]?.path ?? '',
  routes,
  isOperators,
});
