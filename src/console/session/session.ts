import { randomBytes } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import { hashOf } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import { managedTenantIds } from './administrators.ts';

/** 12 hours, more than a working day. Then the administrator signs in again. */
const SESSION_MS = 12 * 60 * 60 * 1000;

/** The signed-in administrator. */
export interface Administrator {
  id: string;
  /** Display name: the user's name, or else an identifier. */
  name: string;
  /** Ids of the tenants that the administrator manages. */
  tenantIds: string[];
  /** Value of the session cookie. Only its hash is stored. */
  token: string;
}

/** Limits cookies to the console's path, so that other tenants on the same host never receive them. */
export const cookieOptions = ({ protocol, path }: Tenant, below = ''): CookieOptions => ({
  httpOnly: true,
  sameSite: 'lax',
  secure: protocol === 'https',
  path: `${path}/console${below}`,
});

export const cookieName = ({ protocol }: Tenant, name: string): string =>
  `${protocol === 'https' ? '__Secure-' : ''}console_${name}`;

/** Opens a sealed value; undefined if it was tampered with, or sealed by another service or for another purpose. */
export function unseal(secrets: SecretBox, sealed: string | undefined, purpose: string): string | undefined {
  try {
    return sealed && secrets.open(sealed, purpose);
  } catch {
    return undefined;
  }
}

export async function openSession(response: Response, tenant: Tenant, userId: string, now: number): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const session = { id: hashOf(token), userId, createdAt: now, expiresAt: now + SESSION_MS };
  await tenant.store.add('consoleSessions', [session]);
  response.cookie(cookieName(tenant, 'session'), token, { ...cookieOptions(tenant), maxAge: SESSION_MS });
}

/** Returns the signed-in administrator; undefined without a valid session or if the user is suspended. Runs on every request. */
export async function findAdministrator(
  request: Request,
  tenant: Tenant,
  now: number,
): Promise<Administrator | undefined> {
  const token = readCookie(request, cookieName(tenant, 'session'));
  if (!token) return undefined;
  const { store } = tenant;
  const session = await store.find('consoleSessions', { id: hashOf(token) });
  if (!session || session.expiresAt <= now) return undefined;
  const user = await store.find('users', { id: session.userId });
  if (!user || user.isSuspended) return undefined;
  const tenantIds = await managedTenantIds(store, user.id);
  const name = user.name ?? user.username ?? user.primaryEmail ?? user.primaryPhone ?? user.id;
  return { id: user.id, name, tenantIds, token };
}

export async function closeSession(response: Response, tenant: Tenant, { token }: Administrator): Promise<void> {
  await tenant.store.removeAll('consoleSessions', { id: hashOf(token) });
  response.clearCookie(cookieName(tenant, 'session'), cookieOptions(tenant));
}

/** The CSRF token of every form. It is derived from the session cookie, which no other site can read. */
export const csrfTokenOf = ({ token }: Administrator): string => hashOf(`csrf:${token}`);
