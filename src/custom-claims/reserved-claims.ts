/** Claims that a script can never set. oidc-provider overwrites only some of them itself. */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set([
  // Registered claims of a token (RFC 7519, RFC 9068).
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'client_id'],
  // Permissions of the token.
  ...['scope', 'organization_id', 'authorization_details'],
  // The actor (RFC 8693 §4.1, §4.4).
  ...['act', 'may_act'],
  // Claims that bind the token or describe the sign-in.
  ...['cnf', 'acr', 'amr', 'auth_time', 'sid', 'azp'],
  // The state and owner of a token, as introspection reports them (RFC 7662 §2.2).
  ...['active', 'token_type', 'username'],
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

/**
 * Returns the payload of a token with the script's claims, as far as the sample given as the script's `token` determines it (not `iat`
 * or `exp`). As in a real token, the service's own claims replace the script's.
 */
export function tokenPreview(
  issuer: string,
  { jti, accountId, clientId, aud, scope, extra }: Record<string, unknown>,
  output: Record<string, unknown>,
): { token: Record<string, unknown>; droppedClaims: string[] } {
  const { kept, dropped } = withoutReserved(output);
  const act = (extra as { act?: unknown } | undefined)?.act;
  const own = { iss: issuer, sub: accountId ?? clientId, aud, client_id: clientId, scope: scope ?? '', jti, act };
  const known = Object.entries(own).filter(([, value]) => value !== undefined);
  return { token: { ...kept, ...Object.fromEntries(known) }, droppedClaims: dropped };
}
