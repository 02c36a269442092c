import { createHash } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { type OAuthClient, pageClient } from './oauth-client.ts';

export const CONSOLE_CLIENT_ID = 'admin-console';

export const consoleCallback = (endpoint: string): string => `${endpoint}/console/-/callback`;

/** The client of the console, which signs administrators in at the default tenant. */
export const consoleClient = (endpoint: string): OAuthClient =>
  pageClient(CONSOLE_CLIENT_ID, 'Console', consoleCallback(endpoint));

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/**
 * Redeems an authorization code of the console and returns the id of the user who signed in. It makes the checks of the
 * token endpoint in process, because the service may be unable to reach its own public address.
 *
 * The interaction policy in `provider.ts` requires a sign-in within the same authorization request, and every sign-in
 * requires all factors of the tenant's settings, so no older authentication counts.
 *
 * @returns undefined for a code of another client or browser, and for a spent or expired one
 */
export async function redeemCode(provider: Provider, code: string, verifier: string): Promise<string | undefined> {
  const found = await provider.AuthorizationCode.find(code);
  const isOwn = found?.clientId === CONSOLE_CLIENT_ID && found.codeChallenge === challengeOf(verifier);
  if (!found || !isOwn || !found.isValid) return undefined;
  await found.consume(); // Throws for all but one of several parallel requests.
  return found.accountId;
}
