// Types of a custom claims script. Save this file as `claims.d.ts` next to the script and start the script with these two lines:
//
//   /// <reference path="./claims.d.ts" />
//   /** @type {Understudy.GetAccessTokenClaims} */
//   const getCustomJwtClaims = async ({ token, context, environmentVariables, api }) => { … };
//
// For client credentials use `Understudy.GetClientCredentialsClaims`. A function declaration declares the type of its input instead:
//
//   /** @param {Understudy.AccessTokenInput} input */
//   async function getCustomJwtClaims({ token, context, environmentVariables, api }) { … }

declare namespace Understudy {
  // Unions of functions, because TypeScript 5 refuses an async function whose type returns a union (TS1065).

  /** A script for access tokens of users. */
  type GetAccessTokenClaims = ((input: AccessTokenInput) => Claims) | ((input: AccessTokenInput) => Promise<Claims>);

  /** A script for access tokens of applications (client credentials). */
  type GetClientCredentialsClaims =
    | ((input: ClientCredentialsInput) => Claims)
    | ((input: ClientCredentialsInput) => Promise<Claims>);

  /** A plain object that can be written as JSON, at most 64 kB. Reserved claims such as `sub` or `act` are ignored. */
  type Claims = Record<string, unknown>;

  /** Input of a script for access tokens of users. */
  interface AccessTokenInput {
    token: AccessToken;
    context: UserContext;
    /** The variables uploaded with the script. */
    environmentVariables: Record<string, string>;
    api: Api;
  }

  /** Input of a script for access tokens of applications. */
  interface ClientCredentialsInput {
    token: ClientCredentials;
    context: { application: Application };
    environmentVariables: Record<string, string>;
    api: Api;
  }

  interface Api {
    /** Ends the run and denies the token with this message. Catching the error does not undo the denial. */
    denyAccess(message?: string): never;
  }

  interface AccessToken {
    kind: 'AccessToken';
    jti: string;
    clientId: string;
    accountId: string;
    grantId?: string;
    /** Grant type of the request; `urn:ietf:params:oauth:grant-type:token-exchange` for an impersonation. */
    gty?: string;
    aud?: string | string[];
    /** Scopes, separated by spaces. */
    scope?: string;
    /** Present only for an impersonation. */
    extra?: { subjectTokenId: string; act?: { sub: string } };
  }

  interface ClientCredentials {
    kind: 'ClientCredentials';
    jti: string;
    clientId: string;
    gty?: string;
    aud?: string | string[];
    scope?: string;
  }

  interface UserContext {
    user: User;
    /** Present only for an impersonation, when a subject token is exchanged. */
    grant?: {
      type: 'urn:ietf:params:oauth:grant-type:token-exchange';
      /** The context your backend sent when it created the subject token. */
      subjectTokenContext: SubjectTokenContext;
    };
    /** How the user signed in. Present only for tokens issued from a session. */
    interaction?: {
      interactionEvent: 'SignIn' | 'Register';
      userId: string;
      /** The verifications of the sign-in, such as `Password`, `EmailVerificationCode`, `Social` or `Totp`. */
      verificationRecords: { type: string }[];
    };
    application?: Application;
    /** Present only for tokens issued for an organization. */
    organization?: Organization;
  }

  interface SubjectTokenContext {
    ticketId?: string;
    reason?: string;
    supportEngineerId?: string;
    [key: string]: unknown;
  }

  interface User {
    id: string;
    username: string | null;
    primaryEmail: string | null;
    primaryPhone: string | null;
    name: string | null;
    avatar: string | null;
    customData: Record<string, unknown>;
    /** By identity provider. */
    identities: Record<string, { userId: string; details?: Record<string, unknown> }>;
    /** Milliseconds since the epoch, like all times here. */
    lastSignInAt: number | null;
    createdAt: number;
    updatedAt: number;
    profile: Record<string, unknown>;
    /** The application the user registered with. */
    applicationId: string | null;
    isSuspended: boolean;
    hasPassword: boolean;
    ssoIdentities: { issuer: string; identityId: string; detail: Record<string, unknown> }[];
    mfaVerificationFactors: { id: string; type: string; createdAt: number; lastUsedAt: number | null }[];
    roles: Role[];
    organizations: Organization[];
    organizationRoles: { organizationId: string; roleId: string; roleName: string }[];
  }

  interface Role {
    id: string;
    name: string;
    description: string;
    scopes: Scope[];
  }

  interface Scope {
    id: string;
    name: string;
    description: string | null;
    resourceId: string;
    resource: { id: string; name: string; indicator: string };
  }

  interface Organization {
    id: string;
    name: string;
    description: string | null;
    /** Present only in `context.organization`. */
    customData?: Record<string, unknown>;
  }

  /** An application, without its secrets. */
  interface Application {
    id: string;
    name: string;
    description?: string | null;
    type: string;
    [key: string]: unknown;
  }
}
