import type { Request } from 'express';

/** Returns the decoded value of a cookie. Undefined if the cookie is missing or cannot be decoded. */
export function readCookie({ headers }: Request, name: string): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() !== name) continue;
    try {
      return decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      return undefined;
    }
  }
  return undefined;
}
