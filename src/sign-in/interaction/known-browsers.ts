import type { Request, Response } from 'express';
import { hashOf, newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import { basePathOf, cookieName } from '../pages/respond.ts';
import type { Flow, KnownAccount, KnownAccounts } from './flow.ts';

/** Since the last sign-in. */
const LIFETIME_MS = 180 * 24 * 60 * 60 * 1000;
/** The cookie stays small; who signed in longest ago is forgotten. */
const MOST_ACCOUNTS = 5;

const purposeOf = ({ id }: Tenant): string => `known-browser:${id}`;

/** Reads the cookie, if this service sealed it for this tenant. */
export function knownAccountsOf(request: Request, tenant: Tenant, secrets: SecretBox, now: number): KnownAccounts {
  const sealed = readCookie(request, cookieName(tenant, 'known'));
  if (sealed === undefined) return [];
  try {
    const known = JSON.parse(secrets.open(sealed, purposeOf(tenant))) as KnownAccounts;
    return known.filter(({ until }) => until > now);
  } catch {
    return []; // Of another key or tenant, or made up.
  }
}

/** The cookie stays small: 128 bits of the hash are enough to tell one digest from another. */
const passwordMarkOf = ({ passwordHash }: UserRow): string => hashOf(`known-browser:${passwordHash}`).slice(0, 22);

/** Returns true if the browser signed in to this account since its password was set. */
export const isOf = ({ userId, password }: KnownAccount, user: UserRow): boolean =>
  userId === user.id && password === passwordMarkOf(user);

/** After a sign-in. The cookie opens nothing: strangers' wrong passwords do not count for this browser, and that is all. */
export async function rememberBrowser(response: Response, flow: Flow, userId: string): Promise<void> {
  const { tenant, store, tools, now, knownAccounts } = flow;
  const user = await store.find('users', { id: userId });
  if (!user) return;
  const before = knownAccounts.find((account) => account.userId === userId);
  const others = knownAccounts.filter((account) => account !== before);
  const browserId = before?.browserId ?? newId();
  const own: KnownAccount = { userId, browserId, password: passwordMarkOf(user), until: now + LIFETIME_MS };
  const known = [own, ...others].slice(0, MOST_ACCOUNTS);
  response.cookie(cookieName(tenant, 'known'), tools.secrets.seal(JSON.stringify(known), purposeOf(tenant)), {
    path: `${basePathOf(tenant)}/`,
    httpOnly: true,
    sameSite: 'lax',
    secure: tenant.protocol === 'https',
    maxAge: LIFETIME_MS,
  });
}
