import type { Request } from 'express';

/** The value of a cookie as it was set; undefined when the browser sent none of this name, or one that cannot be decoded. */
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
