/**
 * Claims that a script can never set: those the service answers for (RFC 7519, RFC 9068), those that
 * say who acts (RFC 8693 §4.1, §4.4), and those that bind or vouch (`cnf`, `acr`, `amr`, `azp`).
 * oidc-provider lays only some of them over a script's. The last three are introspection's own (RFC 7662 §2.2).
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

/** What may go into the token, and the names of what was dropped. */
export function withoutReserved(claims: Record<string, unknown>): { kept: Record<string, unknown>; dropped: string[] } {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(claims)) {
    if (RESERVED_CLAIMS.has(name)) dropped.push(name);
    else kept[name] = value;
  }
  return { kept, dropped };
}
