import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';
import type { Tenant } from '../tenants.ts';

/** A cookie of the service. Scripts cannot read it. */
export interface Cookie {
  name: string;
  /** Path below the tenant's endpoint. Requests to other paths, and to tenants elsewhere on the host, do not have it. */
  path: string;
  sameSite?: 'lax' | 'strict';
  /** Lifetime in milliseconds. Undefined if the cookie ends with the browser's session. */
  maxAge?: number;
}

const nameOf = ({ protocol }: Tenant, { name }: Pick<Cookie, 'name'>): string =>
  protocol === 'https' ? `__Secure-${name}` : name;

const optionsOf = ({ protocol, path: base }: Tenant, { path, sameSite = 'lax' }: Cookie): CookieOptions => ({
  httpOnly: true,
  sameSite,
  secure: protocol === 'https',
  path: base + path,
});

export const setCookie = (response: Response, tenant: Tenant, cookie: Cookie, value: string): Response =>
  response.cookie(nameOf(tenant, cookie), value, { ...optionsOf(tenant, cookie), maxAge: cookie.maxAge });

export const clearCookie = (response: Response, tenant: Tenant, cookie: Cookie): Response =>
  response.clearCookie(nameOf(tenant, cookie), optionsOf(tenant, cookie));

/** Returns the decoded value of a cookie. Undefined if the cookie is missing or cannot be decoded. */
export function readCookie(
  { headers }: Pick<IncomingMessage, 'headers'>,
  tenant: Tenant,
  cookie: Pick<Cookie, 'name'>,
): string | undefined {
  const name = nameOf(tenant, cookie);
  for (const pair of headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() !== name) continue;
    try {
      return decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      return undefined;
    }
  }
  return undefined;
}
