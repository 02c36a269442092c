import { errors } from 'oidc-provider';

/** Limit for all parameters of an authorization request together. They are stored until its sign-in ends or expires. */
const MAX_BYTES = 8 * 1024;
/** Limit in characters for each parameter that the application chooses freely; it is stored and returned unread. */
const MAX_CLIENT_CHOSEN = 2_048;
const CLIENT_CHOSEN = ['state', 'nonce'];

/** Returns an error that names the too large parameter of a sign-in or sign-out request, or undefined. */
export function oversizeOf(text: string): errors.InvalidRequest | undefined {
  if (text.length > MAX_BYTES) return new errors.InvalidRequest(`the request is larger than ${MAX_BYTES} bytes`);
  const parameters = new URLSearchParams(text);
  const name = CLIENT_CHOSEN.find((name) => parameters.getAll(name).some(({ length }) => length > MAX_CLIENT_CHOSEN));
  return name ? new errors.InvalidRequest(`${name} is longer than ${MAX_CLIENT_CHOSEN} characters`) : undefined;
}
