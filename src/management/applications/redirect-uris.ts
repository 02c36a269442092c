import type { Static } from 'typebox';
import { isLoopbackHost } from '../../config/index.ts';
import type { CustomClientMetadata, OidcClientMetadata } from '../../entities.ts';
import { isDeviceUri, isWebUri, runsOnDevice } from '../../tokens/clients/clients.ts';
import { invalidBody } from '../shared/fields.ts';

/** Schemes with which a browser would execute or display the content of the URI. */
const DANGEROUS = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

/** Application types that can use private-use URI schemes (RFC 8252 §7.1). An SPA can run in the shell of an app. */
const WITH_SCHEMES = new Set(['Native', 'SPA']);

/** Returns why the URI cannot be a redirect URI, or undefined. */
function faultOf(uri: string, mayHaveScheme: boolean): string | undefined {
  const url = /\s/.test(uri) ? null : URL.parse(uri);
  if (!url) return 'must be an absolute URI';
  // Browsers treat it like a slash and other parsers do not, so they would disagree about the host.
  if (uri.includes('\\')) return 'must not contain a backslash';
  if (uri.includes('#')) return 'must not contain a fragment';
  if (DANGEROUS.has(url.protocol)) return `must not use the scheme ${url.protocol}`;
  if (url.username || url.password) return 'must not contain credentials';
  // OAuth 2.1 §2.3.1: an unencrypted code could be read by anyone on the network.
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) return 'must use https, except for localhost';
  if (!mayHaveScheme && !isWebUri(url)) return 'must use https or http';
  return undefined;
}

const originFault = (origin: string): string | undefined =>
  URL.parse(origin)?.origin === origin && origin !== 'null' ? undefined : 'must be an origin: scheme, host and port';

/**
 * An application that runs on a device can only use web addresses that it has claimed.
 *
 * @throws 400 `guard.invalid_input`
 */
function refuseMixed(type: string, oidc: Partial<Static<typeof OidcClientMetadata>>): void {
  if (type !== 'SPA' || !runsOnDevice(type, oidc)) return;
  for (const name of ['redirectUris', 'postLogoutRedirectUris'] as const) {
    const index = (oidc[name] ?? []).findIndex((uri) => !isDeviceUri(new URL(uri)));
    if (index >= 0)
      throw invalidBody(
        `body.oidcClientMetadata.${name}[${index}]: must use https, or http with a loopback address, because another URI has a private-use scheme`,
      );
  }
}

/** @throws 400 `guard.invalid_input` naming the first URI of each list, or the setting, that an application of this type cannot have */
export function checkMetadata(
  type: string,
  oidc: Partial<Static<typeof OidcClientMetadata>> = {},
  custom: Static<typeof CustomClientMetadata> = {},
): void {
  if (custom.requirePkce === false && type !== 'Traditional')
    throw invalidBody('body.customClientMetadata.requirePkce: can only be false for the type Traditional');
  const check = (uri: string) => faultOf(uri, WITH_SCHEMES.has(type));
  const lists = [
    ['oidcClientMetadata.redirectUris', oidc.redirectUris, check],
    ['oidcClientMetadata.postLogoutRedirectUris', oidc.postLogoutRedirectUris, check],
    ['customClientMetadata.corsAllowedOrigins', custom.corsAllowedOrigins, originFault],
  ] as const;
  const faults = lists.flatMap(([path, uris = [], faultOf]) => {
    const index = uris.findIndex((uri) => faultOf(uri) !== undefined);
    return index < 0 ? [] : [`body.${path}[${index}]: ${faultOf(uris[index] as string)}`];
  });
  if (faults.length > 0) throw invalidBody(faults.join('\n'));
  refuseMixed(type, oidc);
}
