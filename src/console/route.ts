import type { Table } from '../database/tables/index.ts';
import type { ServiceError } from '../errors.ts';
import type { Html } from '../pages/html.ts';
import type { Tenant } from '../tenants.ts';
import type { Manager } from './session/administrators.ts';
import type { Administrator } from './session/session.ts';

/**
 * How a place is made. A place is a list of routes below its path; a route is a page, a form or an action:
 *
 *     page('/users', showUsers)                       GET: what `showUsers` returns, in the console's frame
 *     form('/users/new', showNewUser, createUser)     GET: the page; POST: `createUser`, then on to where it says
 *     action('/users/:id/suspend', showUser, suspend) POST alone; `showUser` is the page to show a refusal on
 *
 * A form whose `submit` throws a ServiceError is shown again with what was typed and what to do about it.
 * Everything that is read or changed goes through `visit.perform`, by the route of a row of the Management API: it
 * is validated, recorded, announced and audited as if it had come over HTTP.
 */

/** What a row answered. `total` is of a list, over all its pages. */
export interface Answer<T> {
  value: T;
  total: number;
}

export interface Args {
  params?: Record<string, string>;
  /** Several values of one name as a list. */
  query?: Record<string, string | string[]>;
  body?: unknown;
}

/** A request of an administrator, after it was checked that they may manage this tenant. */
export interface Visit {
  administrator: Administrator;
  /** The managed one, which the path names. */
  tenant: Tenant;
  params: Record<string, string>;
  query: URLSearchParams;
  /** What was sent; empty for a GET. */
  sent: URLSearchParams;
  now: number;
  csrf: string;
  /** Path of this page, below the tenant's. */
  path: string;
  /** The address of a path of this tenant's pages. */
  to(path: string): string;
  /** Performs a row of the Management API (for tenant `default` also of the Operator API) as the administrator. */
  perform<T = Record<string, unknown>>(route: string, args?: Args): Promise<Answer<T>>;
  /** Who may manage tenants: rows of the default tenant, which no row of the API reaches. */
  rights: Rights;
  /** What the last action left for this page: what was done, how to undo it, or what is shown only once. */
  flash: Flash | undefined;
}

export interface Rights {
  /** Of those who manage this tenant. */
  list(): Promise<Manager[]>;
  /** Lets the administrator manage one more tenant, which they have just made. */
  takeOn(tenantId: string): Promise<void>;
  /**
   * Lets a user of the default tenant, by username, e-mail address or id, manage this tenant.
   *
   * @throws 400 `guard.invalid_input` for somebody unknown, or who does so already
   */
  give(name: string): Promise<void>;
  /** @throws 422 `administrator.is_last` */
  take(userId: string): Promise<void>;
}

/** Written on the page that follows an action. It goes in a sealed cookie, so it may hold a secret. */
export interface Flash {
  text: string;
  /** A form that takes it back: where to, with what. */
  undo?: { path: string; fields?: Record<string, string> };
  /** Shown this once, to be copied. */
  secrets?: { label: string; value: string }[];
}

/** What a form is shown again with. */
export interface Attempt {
  typed: URLSearchParams;
  error: ServiceError;
}

export interface Page {
  title: string;
  /** One sentence: what the page is for. */
  lead?: string | Html | undefined;
  /** Beside the title: the primary action. */
  actions?: Html | undefined;
  /** The page above this one. */
  back?: { path: string; label: string } | undefined;
  content: Html;
  /** Parts marked `data-live` are renewed when one of these tables changes. They need an `id`. */
  live?: Table[];
  /** Client modules to start on this page: `console/plot` is `assets/plot.js`. */
  modules?: string[];
}

/** Where an action leads, below the tenant's path. */
export interface Next {
  to: string;
  flash?: Flash;
}

export type Show = (visit: Visit, attempt?: Attempt) => Promise<Page> | Page;
/** A page in place of where to go next: nothing was changed, and this is what was found out. */
export type Submit = (visit: Visit) => Promise<Next | Page>;

export interface Route {
  path: string;
  show: Show;
  /** Undefined: the page takes nothing. */
  submit: Submit | undefined;
  /** Whether the page can be opened at this path. */
  isPage: boolean;
}

export const page = (path: string, show: Show): Route => ({ path, show, submit: undefined, isPage: true });
export const form = (path: string, show: Show, submit: Submit): Route => ({ path, show, submit, isPage: true });
export const action = (path: string, show: Show, submit: Submit): Route => ({ path, show, submit, isPage: false });

/** One of the six in the rail. */
export interface Place {
  /** First part of its pages' paths. */
  path: string;
  name: string;
  /** After `g`: goes there. */
  letter: string;
  /** Its pages that stand in the rail; the first is where the place begins. */
  sections: Section[];
  routes: Route[];
}

export interface Section {
  path: string;
  name: string;
  /** Only tenant `default` has it: it is for those who run the service. */
  isOperators?: boolean;
}
