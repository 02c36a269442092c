/** What an author of claims scripts sees in an editor: contract of the script's input and output. */
export const CLAIMS_TYPES = `/** Adds claims to a token while it is signed. What it returns is readable by whoever holds the token. */
declare function getCustomJwtClaims(input: Input): CustomJwtClaims | Promise<CustomJwtClaims>;

/**
 * A plain JSON object. These names are reserved and dropped: iss sub aud exp nbf iat jti scope client_id act may_act
 * cnf organization_id authorization_details acr amr auth_time sid azp.
 */
type CustomJwtClaims = Record<string, unknown>;

interface Input {
  token: Token;
  context: Context;
  environmentVariables: Record<string, string>;
  api: {
    /** The request fails with access_denied, even if the script catches what this throws. */
    denyAccess(message?: string): never;
  };
}

interface Token {
  jti: string;
  kind: 'AccessToken' | 'ClientCredentials';
  clientId: string;
  accountId?: string;
  grantId?: string;
  /** How the token was asked for; for a token exchange the grant type's URN. */
  gty?: string;
  aud: string | string[];
  scope?: string;
  extra?: { subjectTokenId: string; act?: { sub: string } };
}

interface Context {
  /** Absent for client credentials. */
  user?: User;
  /** Only when a subject token is exchanged. */
  grant?: {
    type: 'urn:ietf:params:oauth:grant-type:token-exchange';
    /** As it was given when the subject token was minted. */
    subjectTokenContext: Record<string, unknown>;
  };
  /** Only when the token comes from a session. */
  interaction?: { interactionEvent: string; userId: string; verificationRecords: { type: string }[] };
  application?: { id: string; name: string; description: string | null; type: string; customData: Record<string, unknown> };
  /** Only when the token is for an organization. */
  organization?: { id: string; name: string; description: string | null; customData: Record<string, unknown> };
}

interface User {
  id: string;
  username: string | null;
  primaryEmail: string | null;
  primaryPhone: string | null;
  name: string | null;
  avatar: string | null;
  customData: Record<string, unknown>;
  identities: Record<string, { userId: string; details: Record<string, unknown> }>;
  lastSignInAt: number | null;
  createdAt: number;
  updatedAt: number;
  profile: Record<string, unknown>;
  applicationId: string | null;
  isSuspended: boolean;
  hasPassword: boolean;
  ssoIdentities: { issuer: string; identityId: string; detail: Record<string, unknown> }[];
  mfaVerificationFactors: { id: string; type: string; createdAt: number; lastUsedAt: number | null }[];
  roles: {
    id: string;
    name: string;
    description: string;
    scopes: {
      id: string;
      name: string;
      description: string | null;
      resourceId: string;
      resource: { id: string; name: string; indicator: string };
    }[];
  }[];
  organizations: { id: string; name: string; description: string | null }[];
  organizationRoles: { organizationId: string; roleId: string; roleName: string }[];
}
`;
