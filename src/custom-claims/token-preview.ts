import { withoutReserved } from './reserved-claims.ts';

/** The `token` a script receives. In a sample its author can write anything here. */
type TokenSample = Record<string, unknown>;

/**
 * Returns the payload of a token with the script's claims, as far as the sample determines it (not `iat` or `exp`). As in a real token,
 * the service's own claims replace the script's.
 */
export function tokenPreview(
  issuer: string,
  { jti, accountId, clientId, aud, scope, extra }: TokenSample,
  output: Record<string, unknown>,
): { token: Record<string, unknown>; droppedClaims: string[] } {
  const { kept, dropped } = withoutReserved(output);
  const act = (extra as { act?: unknown } | undefined)?.act;
  const own = { iss: issuer, sub: accountId ?? clientId, aud, client_id: clientId, scope: scope ?? '', jti, act };
  const known = Object.entries(own).filter(([, value]) => value !== undefined);
  return { token: { ...kept, ...Object.fromEntries(known) }, droppedClaims: dropped };
}
