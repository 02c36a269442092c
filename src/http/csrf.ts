import type { Request } from 'express';
import { hashOf, isSameSecret } from '../base/ids.ts';
import { ServiceError } from '../errors.ts';

/** The CSRF token of a form, derived from a secret that other sites cannot read, such as a session's. */
export const csrfTokenOf = (secret: string): string => hashOf(`csrf:${secret}`);

/** Checks that a form was sent from a page of this origin. @throws 403 `session.forbidden` */
export function requireCsrfToken({ headers }: Request, expected: string, given: unknown): void {
  const isOwnOrigin = (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
  const isOwnToken = typeof given === 'string' && isSameSecret(given, expected);
  if (!isOwnOrigin || !isOwnToken) throw new ServiceError('session.forbidden');
}
