import type { OAuthClient } from './oauth-client.ts';

/** Contains a hyphen, so it can never equal the id of an application. */
export const ACCOUNT_CLIENT_ID = 'account-page';

/**
 * The OAuth client of the account page. The page signs users in like any application, but never redeems a code: it uses
 * the browser's session. The client is not a row, so it can be neither listed nor deleted.
 */
export const accountClient = (endpoint: string): OAuthClient => ({
  client_id: ACCOUNT_CLIENT_ID,
  client_name: 'Account',
  application_type: 'web',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [`${endpoint}/account`],
  post_logout_redirect_uris: [],
  is_third_party: false,
  cors_allowed_origins: [],
  id_token_ttl: 3600,
  refresh_token_ttl_days: 14,
  always_issue_refresh_token: false,
  rotate_refresh_token: true,
});
