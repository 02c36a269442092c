/** An error of the endpoints below `/oidc`. RFC 6749, RFC 6750, RFC 8693 and RFC 8707 define the codes. */
interface OAuthError {
  error: string;
  statuses: number[];
  when: string;
  remedy: string;
}

/** Responses of `POST /oidc/token`. */
export const tokenErrors: readonly OAuthError[] = [
  {
    error: 'invalid_request',
    statuses: [400, 413, 415],
    when: 'A parameter is missing, repeated, too long or not valid. For an exchange: the subject token or the actor token is not acceptable, the impersonation policy refuses, or the claims script failed.',
    remedy:
      'Read `error_description`: it names the reason. Request a new subject token if it is used, expired or revoked.',
  },
  {
    error: 'invalid_client',
    statuses: [401],
    when: 'The client is unknown, its secret is wrong or expired, or a public client sent a secret. All cases have the same response.',
    remedy: 'Check the client id and the secret: `GET /api/applications/:id/secrets` lists the secrets.',
  },
  {
    error: 'invalid_grant',
    statuses: [400],
    when: 'The authorization code or the refresh token is unknown, expired, revoked or already used, or the user was suspended, deleted or signed out.',
    remedy: 'Sign the user in again.',
  },
  {
    error: 'unauthorized_client',
    statuses: [400],
    when: 'The application must not use this grant.',
    remedy:
      'For token exchange set `customClientMetadata.allowTokenExchange` to `true`. Otherwise use an application of another type.',
  },
  {
    error: 'unsupported_grant_type',
    statuses: [400],
    when: 'The service has no such grant.',
    remedy:
      'Use `authorization_code`, `refresh_token`, `client_credentials` or `urn:ietf:params:oauth:grant-type:token-exchange`.',
  },
  {
    error: 'invalid_scope',
    statuses: [400],
    when: 'A scope contains invalid characters, or a refresh asks for a scope that the sign-in did not grant.',
    remedy: 'Ask for scopes that were granted, or sign the user in again with more.',
  },
  {
    error: 'insufficient_scope',
    statuses: [403],
    when: 'A refresh names an `organization_id`, but the sign-in did not grant `urn:logto:scope:organizations`.',
    remedy: 'Ask for this scope at the sign-in.',
  },
  {
    error: 'invalid_target',
    statuses: [400],
    when: 'The resource is missing, not registered, repeated or not available to this caller, or the subject token is bound to another one. `audience` is not supported.',
    remedy: 'Send one `resource` that is registered, character by character, or an `organization_id`.',
  },
  {
    error: 'access_denied',
    statuses: [400, 403],
    when: '400: the claims script called `api.denyAccess`. 403: the subject is not a member of the organization, or the organization requires MFA and the subject has no second factor.',
    remedy: 'Show `error_description` to the user. Add the member, or have the subject set up a second factor.',
  },
  {
    error: 'temporarily_unavailable',
    statuses: [429, 503],
    when: '429: too many requests. 503: the database or the script runners are unavailable or overloaded.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send the same request again. The subject token is not used up.',
  },
  {
    error: 'server_error',
    statuses: [500],
    when: 'The service failed unexpectedly.',
    remedy: 'Send the `requestId` of the response to the operator, who finds it in the log.',
  },
];

/** Responses of the other endpoints below `/oidc`, besides those above. */
export const otherOAuthErrors: readonly OAuthError[] = [
  {
    error: 'invalid_token',
    statuses: [401],
    when: '`/oidc/me`: the access token is unknown, expired or revoked, or it is bound to a resource.',
    remedy: 'Send an access token that was issued with `openid` and without a resource.',
  },
  {
    error: 'login_required',
    statuses: [303],
    when: '`/oidc/auth` with `prompt=none`, or a sign-in whose session ended in the meantime.',
    remedy: 'Start the sign-in again without `prompt=none`.',
  },
  {
    error: 'consent_required',
    statuses: [303],
    when: '`/oidc/auth` with `prompt=none` for a third-party application that the user has not consented to.',
    remedy: 'Start the sign-in again without `prompt=none`.',
  },
  {
    error: 'invalid_redirect_uri',
    statuses: [400],
    when: '`/oidc/auth`: the `redirect_uri` is not registered for the application. The browser stays on an error page.',
    remedy: 'Register the redirect URI, character by character.',
  },
];
