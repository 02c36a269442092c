import type { Static } from 'typebox';
import { isLoopbackHost } from '../config.ts';
import type { CustomClientMetadata, OidcClientMetadata } from '../entities.ts';
import { invalidBody } from './fields.ts';

/** Schemes by which a browser would run or read what the URI holds. */
const DANGEROUS = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

/** Why this cannot be one, or undefined. Native applications may have schemes of their own (RFC 8252 §7.1). */
function faultOf(uri: string, isNative: boolean): string | undefined {
  const url = /\s/.test(uri) ? null : URL.parse(uri);
  if (!url) return 'must be an absolute URI';
  // Browsers take it for a slash, and others do not: what one of them calls the host is another's path.
  if (uri.includes('\\')) return 'must not have a backslash';
  if (uri.includes('#')) return 'must not have a fragment';
  if (DANGEROUS.has(url.protocol)) return `must not use the scheme ${url.protocol}`;
  if (url.username || url.password) return 'must not hold credentials';
  // OAuth 2.1 §2.3.1: a code that goes anywhere else unencrypted is everyone's on the way.
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'must use https, except for localhost';
  if (!isNative && url.protocol !== 'https:' && url.protocol !== 'http:') return 'must use https or http';
  return undefined;
}

const originFault = (origin: string): string | undefined =>
  URL.parse(origin)?.origin === origin && origin !== 'null' ? undefined : 'must be an origin: scheme, host and port';

/** @throws 400 `guard.invalid_input` naming what an application of this type cannot have: the first URI, or the switch */
export function checkMetadata(
  type: string,
  oidc: Partial<Static<typeof OidcClientMetadata>> = {},
  custom: Static<typeof CustomClientMetadata> = {},
): void {
  const isNative = type === 'Native';
  if (custom.requirePkce === false && type !== 'Traditional')
    throw invalidBody('body.customClientMetadata.requirePkce: can be false only for the type Traditional');
  const lists = [
    ['oidcClientMetadata.redirectUris', oidc.redirectUris, (uri: string) => faultOf(uri, isNative)],
    ['oidcClientMetadata.postLogoutRedirectUris', oidc.postLogoutRedirectUris, (uri: string) => faultOf(uri, isNative)],
    ['customClientMetadata.corsAllowedOrigins', custom.corsAllowedOrigins, originFault],
  ] as const;
  for (const [path, uris = [], check] of lists) {
    for (const [index, uri] of uris.entries()) {
      const fault = check(uri);
      if (fault) throw invalidBody(`body.${path}[${index}]: ${fault}`);
    }
  }
}
