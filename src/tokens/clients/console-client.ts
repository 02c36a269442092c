import { createHash } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import type { OAuthClient } from './oauth-client.ts';

/** A hyphen keeps it apart from the ids of applications. */
export const CONSOLE_CLIENT_ID = 'admin-console';

export const consoleCallback = (endpoint: string): string => `${endpoint}/console/-/callback`;

/** The administrators' pages sign in as any application does, at the default tenant. It is no row, so it can be neither listed nor deleted. */
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
 * Who signed in, for a code of the console: what its token endpoint would check, without a request of the service to
 * itself, whose public address it may not reach.
 *
 * Every code of the console comes of a sign-in in that very request: the interaction policy of `provider.ts` demands it.
 * Every sign-in asks for all the factors that the tenant's settings ask for, so no older proof counts beside it.
 *
 * @returns undefined when the code is not one of the console's, is spent or expired, or is another browser's
 */
export async function redeemCode(provider: Provider, code: string, verifier: string): Promise<string | undefined> {
  const found = await provider.AuthorizationCode.find(code);
  const isOwn = found?.clientId === CONSOLE_CLIENT_ID && found.codeChallenge === challengeOf(verifier);
  if (!found || !isOwn || !found.isValid) return undefined;
  await found.consume(); // Throws for all but one of those that race.
  return found.accountId;
}
