import { randomBytes } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import { hashOf } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import { managedTenants } from './administrators.ts';

/** A working day. After it the password is asked for again. */
const SESSION_MS = 12 * 60 * 60 * 1000;

/** Who has signed in to the console. */
export interface Administrator {
  id: string;
  /** What they are called: their name, else what they sign in with. */
  name: string;
  /** Ids of the tenants that they may manage. */
  tenantIds: string[];
  /** The cookie's value, which is kept nowhere. */
  token: string;
}

/** Cookies of the console stay below it, so that other tenants of the same host never see them. */
export const cookieOptions = ({ protocol, path }: Tenant, below = ''): CookieOptions => ({
  httpOnly: true,
  sameSite: 'lax',
  secure: protocol === 'https',
  path: `${path}/console${below}`,
});

export const cookieName = ({ protocol }: Tenant, name: string): string =>
  `${protocol === 'https' ? '__Secure-' : ''}console_${name}`;

/** Of a value that only this service may read; undefined when it was made elsewhere, for another purpose, or changed. */
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

/** Undefined: nobody is signed in, or somebody who may not be any more. Asked anew for every request. */
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
  const tenantIds = await managedTenants(store, user.id);
  const name = user.name ?? user.username ?? user.primaryEmail ?? user.primaryPhone ?? user.id;
  return { id: user.id, name, tenantIds, token };
}

export async function closeSession(response: Response, tenant: Tenant, { token }: Administrator): Promise<void> {
  await tenant.store.removeAll('consoleSessions', { id: hashOf(token) });
  response.clearCookie(cookieName(tenant, 'session'), cookieOptions(tenant));
}

/** Sent back by every form: derived from the cookie, which no other site can read. */
export const csrfTokenOf = ({ token }: Administrator): string => hashOf(`csrf:${token}`);
