import { createHash } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import type { OAuthClient } from './oauth-client.ts';

/** Contains a hyphen, so it can never equal the id of an application. */
export const CONSOLE_CLIENT_ID = 'admin-console';

export const consoleCallback = (endpoint: string): string => `${endpoint}/console/-/callback`;

/**
 * The OAuth client of the console, which signs administrators in like any application, at the default tenant. It is not
 * a row, so it can be neither listed nor deleted.
 */
export const consoleClient = (endpoint: string): OAuthClient => ({
  client_id: CONSOLE_CLIENT_ID,
  client_name: 'Console',
  application_type: 'web',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [consoleCallback(endpoint)],
  post_logout_redirect_uris: [],
  is_third_party: false,
  cors_allowed_origins: [],
  id_token_ttl: 3600,
  refresh_token_ttl_days: 14,
  always_issue_refresh_token: false,
  rotate_refresh_token: true,
});

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
