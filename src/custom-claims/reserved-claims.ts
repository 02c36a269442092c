/**
 * Claims that a script can never set: registered claims of a token (RFC 7519, RFC 9068), those that name the actor
 * (RFC 8693 §4.1, §4.4), those that bind the token or describe the sign-in (`cnf`, `acr`, `amr`, `azp`), and those with which
 * introspection reports the state and owner of a token (RFC 7662 §2.2). oidc-provider overwrites only some of them itself.
 */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'scope',
  'client_id',
  'act',
  'may_act',
  'cnf',
  'organization_id',
  'authorization_details',
  'acr',
  'amr',
  'auth_time',
  'sid',
  'azp',
  'active',
  'token_type',
  'username',
]);

/** Separates the claims that may go into the token from the names of the reserved ones, which are dropped. */
export function withoutReserved(claims: Record<string, unknown>): { kept: Record<string, unknown>; dropped: string[] } {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(claims)) {
    if (RESERVED_CLAIMS.has(name)) dropped.push(name);
    else kept[name] = value;
  }
  return { kept, dropped };
}
