import type { Static } from 'typebox';
import { isLoopbackHost } from '../../config/index.ts';
import type { CustomClientMetadata, OidcClientMetadata } from '../../entities.ts';
import { isDeviceUri, isWebUri, runsOnDevice } from '../../tokens/clients/clients.ts';
import { invalidBody } from '../shared/fields.ts';

/** Schemes by which a browser would run or read what the URI holds. */
const DANGEROUS = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

/** Applications of these types may have schemes of their own (RFC 8252 §7.1): a page may be in an app's shell. */
const WITH_SCHEMES = new Set(['Native', 'SPA']);

/** Why this cannot be one, or undefined. */
function faultOf(uri: string, mayHaveScheme: boolean): string | undefined {
  const url = /\s/.test(uri) ? null : URL.parse(uri);
  if (!url) return 'must be an absolute URI';
  // Browsers take it for a slash, and others do not: what one of them calls the host is another's path.
  if (uri.includes('\\')) return 'must not have a backslash';
  if (uri.includes('#')) return 'must not have a fragment';
  if (DANGEROUS.has(url.protocol)) return `must not use the scheme ${url.protocol}`;
  if (url.username || url.password) return 'must not hold credentials';
  // OAuth 2.1 §2.3.1: a code that goes anywhere else unencrypted is everyone's on the way.
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'must use https, except for localhost';
  if (!mayHaveScheme && !isWebUri(url)) return 'must use https or http';
  return undefined;
}

const originFault = (origin: string): string | undefined =>
  URL.parse(origin)?.origin === origin && origin !== 'null' ? undefined : 'must be an origin: scheme, host and port';

/** An application that is reached on a device has no address on the web, except one that it claimed. */
function refuseMixed(type: string, oidc: Partial<Static<typeof OidcClientMetadata>>): void {
  if (type !== 'SPA' || !runsOnDevice(type, oidc)) return;
  for (const name of ['redirectUris', 'postLogoutRedirectUris'] as const) {
    const index = (oidc[name] ?? []).findIndex((uri) => !isDeviceUri(new URL(uri)));
    if (index >= 0)
      throw invalidBody(
        `body.oidcClientMetadata.${name}[${index}]: beside a URI with a scheme of its own, http is for loopback addresses and https for all others`,
      );
  }
}

/** @throws 400 `guard.invalid_input` naming what an application of this type cannot have: the first URI, or the switch */
export function checkMetadata(
  type: string,
  oidc: Partial<Static<typeof OidcClientMetadata>> = {},
  custom: Static<typeof CustomClientMetadata> = {},
): void {
  if (custom.requirePkce === false && type !== 'Traditional')
    throw invalidBody('body.customClientMetadata.requirePkce: can be false only for the type Traditional');
  const check = (uri: string) => faultOf(uri, WITH_SCHEMES.has(type));
  const lists = [
    ['oidcClientMetadata.redirectUris', oidc.redirectUris, check],
    ['oidcClientMetadata.postLogoutRedirectUris', oidc.postLogoutRedirectUris, check],
    ['customClientMetadata.corsAllowedOrigins', custom.corsAllowedOrigins, originFault],
  ] as const;
  for (const [path, uris = [], faultOf] of lists) {
    for (const [index, uri] of uris.entries()) {
      const fault = faultOf(uri);
      if (fault) throw invalidBody(`body.${path}[${index}]: ${fault}`);
    }
  }
  refuseMixed(type, oidc);
}
