import type { AdapterPayload } from 'oidc-provider';

/** oidc-provider's client metadata (OpenID Connect Registration §2). */
export type OAuthClient = AdapterPayload & {
  client_id: string;
  token_endpoint_auth_method: 'client_secret_basic' | 'none';
  grant_types: string[];
  redirect_uris: string[];
  cors_allowed_origins: string[];
};

/**
 * The client of one of our own pages, which sign users in like any application. It is not a row, so it can be neither
 * listed nor deleted. The hyphen in its id keeps it different from every application's id.
 */
export const pageClient = (id: `${string}-${string}`, name: string, redirectUri: string): OAuthClient => ({
  client_id: id,
  client_name: name,
  application_type: 'web',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [redirectUri],
  post_logout_redirect_uris: [],
  is_third_party: false,
  cors_allowed_origins: [],
  id_token_ttl: 3600,
  refresh_token_ttl_days: 14,
  always_issue_refresh_token: false,
  rotate_refresh_token: true,
});
