import type { AdapterPayload } from 'oidc-provider';

/** oidc-provider's client metadata (OpenID Connect Registration §2). */
export type OAuthClient = AdapterPayload & {
  client_id: string;
  token_endpoint_auth_method: 'client_secret_basic' | 'none';
  grant_types: string[];
  redirect_uris: string[];
  cors_allowed_origins: string[];
};
