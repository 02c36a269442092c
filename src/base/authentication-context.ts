/** `acr` values (OpenID Connect Core §2), weakest first: how a user was authenticated. */
export const AUTHENTICATION_CONTEXTS = ['urn:understudy:acr:1fa', 'urn:understudy:acr:2fa'] as const;

export const [ONE_FACTOR, TWO_FACTORS] = AUTHENTICATION_CONTEXTS;

/** True if `acr` is the required value or a stronger one. An unknown value only satisfies itself. */
export function satisfiesContext(acr: string | undefined, required: string): boolean {
  if (acr === required) return true;
  const strength = (value: string | undefined) =>
    (AUTHENTICATION_CONTEXTS as readonly (string | undefined)[]).indexOf(value);
  return strength(required) >= 0 && strength(acr) > strength(required);
}
