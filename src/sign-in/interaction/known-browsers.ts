import type { Request, Response } from 'express';
import { hashOf, newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { DAY_MS } from '../../base/times.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { type Cookie, readCookie, setCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import type { Flow, KnownAccount } from './flow.ts';

/** How long a browser stays known, counted from its last sign-in. */
const LIFETIME_MS = 180 * DAY_MS;
/** Maximum number of accounts in the cookie, to keep it small. The account with the oldest sign-in is dropped. */
const MAX_ACCOUNTS = 5;

/** Named after the tenant, because tenants may share a host. */
const cookieOf = ({ id }: Tenant): Cookie => ({ name: `${id}_known`, path: '/', maxAge: LIFETIME_MS });

const purposeOf = ({ id }: Tenant): string => `known-browser:${id}`;

/** Reads the cookie. Returns no accounts unless this service sealed it for this tenant. */
export function knownAccountsOf(request: Request, tenant: Tenant, secrets: SecretBox, now: number): KnownAccount[] {
  const known = secrets.openJson<KnownAccount[]>(readCookie(request, tenant, cookieOf(tenant)), purposeOf(tenant));
  return known?.filter(({ until }) => until > now) ?? [];
}

/** Truncated to keep the cookie small: 128 bits are enough to tell digests apart. */
const passwordMarkOf = ({ passwordHash }: UserRow): string => hashOf(`known-browser:${passwordHash}`).slice(0, 22);

/** Returns true if the browser signed in to this account since its password was set. */
export const belongsTo = ({ userId, password }: KnownAccount, user: UserRow): boolean =>
  userId === user.id && password === passwordMarkOf(user);

/**
 * Sets the cookie after a sign-in. It grants no access: it only exempts this browser from the limits that failed
 * attempts of other browsers use up.
 */
export async function rememberBrowser(response: Response, flow: Flow, userId: string): Promise<void> {
  const { tenant, store, tools, now, knownAccounts } = flow;
  const user = await store.find('users', { id: userId });
  if (!user) return;
  const before = knownAccounts.find((account) => account.userId === userId);
  const others = knownAccounts.filter((account) => account !== before);
  const browserId = before?.browserId ?? newId();
  const own: KnownAccount = { userId, browserId, password: passwordMarkOf(user), until: now + LIFETIME_MS };
  const known = [own, ...others].slice(0, MAX_ACCOUNTS);
  setCookie(response, tenant, cookieOf(tenant), tools.secrets.seal(JSON.stringify(known), purposeOf(tenant)));
}
