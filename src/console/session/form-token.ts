import type { Request } from 'express';
import { ServiceError } from '../../errors.ts';
import { csrfTokenOf, requireCsrfToken } from '../../http/csrf.ts';
import type { Tenant } from '../../tenants.ts';
import type { Administrator } from './session.ts';

/** Returns the fields of a submitted form; none for a GET. */
export const formOf = ({ body }: Request): URLSearchParams => new URLSearchParams(typeof body === 'string' ? body : '');

/** Path that a form was submitted to, with that of the tenant's endpoint. */
export const formPath = ({ path }: Request, home: Tenant): string => `${home.path}/console${path}`;

/** The CSRF token of an administrator's forms. It names the administrator, so that a form can be kept for its author. */
export const formTokenOf = ({ token, id }: Pick<Administrator, 'token' | 'id'>): string =>
  `${csrfTokenOf(token)}.${id}`;

/** Returns the id of the administrator whom a form was shown to, as the form says. */
export const authorOf = (submitted: URLSearchParams): string | undefined => submitted.get('csrf')?.split('.')[1];

/** Checks that a form is one of this session, and names the console as its origin. @throws 403 `session.forbidden` */
export function requireOwnForm(request: Request, home: Tenant, administrator: Administrator): void {
  requireCsrfToken(request, formTokenOf(administrator), formOf(request).get('csrf'));
  const { origin } = request.headers;
  if (origin && origin !== new URL(home.endpoint).origin) throw new ServiceError('session.forbidden');
}

/** True if the browser says that a page of the console sent the form. Another site cannot make it say so. */
export const isFromConsole = ({ headers }: Request, home: Tenant): boolean =>
  headers.origin === new URL(home.endpoint).origin && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
