import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { rolesOf } from '../../admin/administrators.ts';
import type { AdministratorRole } from '../../base/administrator-role.ts';
import { hashOf } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/times.ts';
import { type Cookie, clearCookie, readCookie, setCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';

/** 12 hours, more than a working day. Then the administrator signs in again. */
const SESSION_MS = 12 * HOUR_MS;

const SESSION: Cookie = { name: 'console_session', path: '/console', maxAge: SESSION_MS };

/** The signed-in administrator. */
export interface Administrator {
  id: string;
  /** Display name: the user's name, or else an identifier. */
  name: string;
  /** The role in each tenant that the administrator manages, by tenant id. Read on every request. */
  roles: ReadonlyMap<string, AdministratorRole>;
  /** Value of the session cookie. Only its hash is stored. */
  token: string;
}

export async function openSession(response: Response, tenant: Tenant, userId: string, now: number): Promise<void> {
  const token = randomBytes(32).toString('base64url');
  const session = { id: hashOf(token), userId, createdAt: now, expiresAt: now + SESSION_MS };
  await tenant.store.add('consoleSessions', [session]);
  setCookie(response, tenant, SESSION, token);
}

/** Returns the signed-in administrator; undefined without a valid session or if the user is suspended. Runs on every request. */
export async function findAdministrator(
  request: Request,
  tenant: Tenant,
  now: number,
): Promise<Administrator | undefined> {
  const token = readCookie(request, tenant, SESSION);
  if (!token) return undefined;
  const { store } = tenant;
  const session = await store.find('consoleSessions', { id: hashOf(token) });
  if (!session || session.expiresAt <= now) return undefined;
  const user = await store.find('users', { id: session.userId });
  if (!user || user.isSuspended) return undefined;
  const roles = await rolesOf(store, user.id);
  const name = user.name ?? user.username ?? user.primaryEmail ?? user.primaryPhone ?? user.id;
  return { id: user.id, name, roles, token };
}

export async function closeSession(response: Response, tenant: Tenant, { token }: Administrator): Promise<void> {
  await tenant.store.removeAll('consoleSessions', { id: hashOf(token) });
  clearCookie(response, tenant, SESSION);
}
