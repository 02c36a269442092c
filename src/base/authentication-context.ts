/** `acr` values (OpenID Connect Core §2), weakest first: how a person was authenticated. */
export const AUTHENTICATION_CONTEXTS = ['urn:understudy:acr:1fa', 'urn:understudy:acr:2fa'] as const;

export const [ONE_FACTOR, TWO_FACTORS] = AUTHENTICATION_CONTEXTS;

/** The same or a stronger one. A value we do not know is satisfied by itself alone. */
export function satisfiesContext(acr: string | undefined, required: string): boolean {
  if (acr === required) return true;
  const strength = (value: string | undefined) =>
    (AUTHENTICATION_CONTEXTS as readonly (string | undefined)[]).indexOf(value);
  return strength(required) >= 0 && strength(acr) > strength(required);
}
