import { withoutReserved } from './reserved-claims.ts';

/** What a script may be told of a token; of a sample, whatever its author wrote. */
type Described = Record<string, unknown>;

/**
 * The payload of a token that a script's result would go into, as far as the input tells it: not when it would be issued.
 * What the service answers for stands over the script's claims, as in a real one.
 */
export function tokenPreview(
  issuer: string,
  { jti, accountId, clientId, aud, scope, extra }: Described,
  output: Record<string, unknown>,
): { token: Record<string, unknown>; droppedClaims: string[] } {
  const { kept, dropped } = withoutReserved(output);
  const act = (extra as { act?: unknown } | undefined)?.act;
  const own = { iss: issuer, sub: accountId ?? clientId, aud, client_id: clientId, scope: scope ?? '', jti, act };
  const known = Object.entries(own).filter(([, value]) => value !== undefined);
  return { token: { ...kept, ...Object.fromEntries(known) }, droppedClaims: dropped };
}
