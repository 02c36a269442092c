import type { Request, Response } from 'express';
import { readCookie } from '../http/cookies.ts';
import { newId } from '../ids.ts';
import type { SecretBox } from '../secret-box.ts';
import type { Tenant } from '../tenants.ts';
import type { Flow } from './flow.ts';
import { basePathOf } from './respond.ts';

/** An account that this browser signed in to. */
interface KnownAccount {
  userId: string;
  /** Of the browser, for this account: what its wrong passwords are counted by. */
  browserId: string;
  /** Epoch milliseconds. */
  until: number;
}
export type KnownAccounts = readonly KnownAccount[];

/** Since the last sign-in. */
const LIFETIME_MS = 180 * 24 * 60 * 60 * 1000;
/** The cookie stays small; who signed in longest ago is forgotten. */
const MOST_ACCOUNTS = 5;

const purposeOf = ({ id }: Tenant): string => `known-browser:${id}`;

const cookieNameOf = ({ id, protocol }: Tenant): string => `${protocol === 'https' ? '__Secure-' : ''}${id}_known`;

/** What the cookie says, if this service sealed it for this tenant. */
export function knownAccountsOf(request: Request, tenant: Tenant, secrets: SecretBox, now: number): KnownAccounts {
  const sealed = readCookie(request, cookieNameOf(tenant));
  if (sealed === undefined) return [];
  try {
    const known = JSON.parse(secrets.open(sealed, purposeOf(tenant))) as KnownAccounts;
    return known.filter(({ until }) => until > now);
  } catch {
    return []; // Of another key or tenant, or made up.
  }
}

/** After a sign-in. The cookie opens nothing: strangers' wrong passwords do not count for this browser, and that is all. */
export function rememberBrowser(response: Response, { tenant, tools, now, knownAccounts }: Flow, userId: string): void {
  const before = knownAccounts.find((account) => account.userId === userId);
  const others = knownAccounts.filter((account) => account !== before);
  const own = { userId, browserId: before?.browserId ?? newId(), until: now + LIFETIME_MS };
  const known = [own, ...others].slice(0, MOST_ACCOUNTS);
  response.cookie(cookieNameOf(tenant), tools.secrets.seal(JSON.stringify(known), purposeOf(tenant)), {
    path: `${basePathOf(tenant)}/`,
    httpOnly: true,
    sameSite: 'lax',
    secure: tenant.protocol === 'https',
    maxAge: LIFETIME_MS,
  });
}
