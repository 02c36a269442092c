/** Of all parameters of an authorization request together: they are kept until its sign-in ends, or expires. */
const MAX_BYTES = 8 * 1024;
/** Characters of what an application makes up: it returns unread, and is kept meanwhile. */
const MAX_OWN = 2_048;
const OWN = ['state', 'nonce'];

/** Says, for the client, which part of a query or form that starts a sign-in or sign-out is too large; undefined if none is. */
export function oversizeOf(text: string): string | undefined {
  if (text.length > MAX_BYTES) return `the request is larger than ${MAX_BYTES} bytes`;
  const parameters = new URLSearchParams(text);
  const name = OWN.find((name) => parameters.getAll(name).some(({ length }) => length > MAX_OWN));
  return name && `${name} is longer than ${MAX_OWN} characters`;
}
