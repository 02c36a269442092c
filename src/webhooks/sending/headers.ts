import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Headers that a webhook's configuration may not set: they control the connection, or the service sets them itself. */
const RESERVED =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|user-agent|content-.*|proxy-.*|webhook-.*|logto-.*)$/i;

/** Returns why these headers cannot be configured on a webhook, or undefined if they can. */
export function checkHeaders(headers: Record<string, string>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED.test(name)) return `The header ${name} is reserved.`;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      return `The header ${name} is not valid.`;
    }
  }
  return undefined;
}

/**
 * Returns the headers of an attempt. The service's own come last, and all names are lower case, so none is overridden.
 */
export function deliveryHeaders(
  configured: Record<string, string>,
  signatures: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(configured)) headers[name.toLowerCase()] = configured[name] as string;
  return Object.assign(headers, { 'content-type': 'application/json', 'user-agent': 'Understudy' }, signatures);
}
