import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Names that a hook's configuration may not set: they frame the request or are ours to say. */
const RESERVED =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|user-agent|content-.*|proxy-.*|webhook-.*|logto-.*)$/i;

/** Why these headers cannot be configured on a hook, or undefined. */
export function checkHeaders(headers: Record<string, string>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED.test(name)) return `The header ${name} cannot be configured.`;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      return `The header ${name} is not valid.`;
    }
  }
  return undefined;
}

/** The headers of an attempt. Ours come last and in lower case, so that no spelling replaces them. */
export function deliveryHeaders(
  configured: Record<string, string>,
  signatures: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(configured)) headers[name.toLowerCase()] = configured[name] as string;
  return Object.assign(headers, { 'content-type': 'application/json', 'user-agent': 'Understudy' }, signatures);
}
