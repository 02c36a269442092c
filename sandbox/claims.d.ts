// What a custom claims script receives and may return. Save it as `claims.d.ts` beside the script, which then starts with two lines:
//
//   /// <reference path="./claims.d.ts" />
//   /** @type {Understudy.GetAccessTokenClaims} */
//   const getCustomJwtClaims = async ({ token, context, environmentVariables, api }) => { … };
//
// A script for client credentials is an `Understudy.GetClientCredentialsClaims`. A function declaration names its input instead:
//
//   /** @param {Understudy.AccessTokenInput} input */
//   async function getCustomJwtClaims({ token, context, environmentVariables, api }) { … }

declare namespace Understudy {
  // Unions of functions, because TypeScript 5 refuses an async function whose type returns a union (TS1065).

  /** The script for tokens that speak for a user. */
  type GetAccessTokenClaims = ((input: AccessTokenInput) => Claims) | ((input: AccessTokenInput) => Promise<Claims>);

  /** The script for tokens that speak for an application. */
  type GetClientCredentialsClaims =
    | ((input: ClientCredentialsInput) => Claims)
    | ((input: ClientCredentialsInput) => Promise<Claims>);

  /** A plain object that JSON can express, at most 64 kB. Reserved claims such as `sub` or `act` are dropped. */
  type Claims = Record<string, unknown>;

  /** For tokens that speak for a user. */
  interface AccessTokenInput {
    token: AccessToken;
    context: UserContext;
    /** As uploaded with the script. */
    environmentVariables: Record<string, string>;
    api: Api;
  }

  /** For tokens that speak for an application. */
  interface ClientCredentialsInput {
    token: ClientCredentials;
    context: { application: Application };
    environmentVariables: Record<string, string>;
    api: Api;
  }

  interface Api {
    /** Ends the run and refuses the token, with this message. It cannot be undone: a script that catches it is denied all the same. */
    denyAccess(message?: string): never;
  }

  interface AccessToken {
    kind: 'AccessToken';
    jti: string;
    clientId: string;
    accountId: string;
    grantId?: string;
    /** How the token was obtained; `urn:ietf:params:oauth:grant-type:token-exchange` for an impersonation. */
    gty?: string;
    aud?: string | string[];
    /** Scopes, separated by spaces. */
    scope?: string;
    /** Present for an impersonation. */
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
    /** Only when a subject token is exchanged: somebody acts as the user. */
    grant?: {
      type: 'urn:ietf:params:oauth:grant-type:token-exchange';
      /** What the integrator's backend gave when it asked for the subject token. */
      subjectTokenContext: SubjectTokenContext;
    };
    /** Only when the token comes from a session: how the user signed in. */
    interaction?: {
      interactionEvent: 'SignIn' | 'Register';
      userId: string;
      /** What was proven, such as `Password`, `EmailVerificationCode`, `Social` or `Totp`. */
      verificationRecords: { type: string }[];
    };
    application?: Application;
    /** Only when the token is asked for an organization. */
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
    /** Milliseconds since the epoch, as are the other times. */
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
    /** Only in `context.organization`. */
    customData?: Record<string, unknown>;
  }

  /** Without its secrets. */
  interface Application {
    id: string;
    name: string;
    description?: string | null;
    type: string;
    [key: string]: unknown;
  }
}
