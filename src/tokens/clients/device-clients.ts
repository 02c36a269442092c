import type { ApplicationRow } from '../../database/tables/index.ts';

type Uris = Partial<ApplicationRow['oidcClientMetadata']>;

const WEB = new Set(['https:', 'http:']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isWebUri = ({ protocol }: URL): boolean => WEB.has(protocol);

/** True for an application that is installed, and for a page whose shell (an app, an extension) has a scheme of its own. */
export const runsOnDevice = (type: string, { redirectUris = [], postLogoutRedirectUris = [] }: Uris): boolean =>
  type === 'Native' ||
  (type === 'SPA' && [...redirectUris, ...postLogoutRedirectUris].some((uri) => !isWebUri(new URL(uri))));

/**
 * RFC 8252 §7: such an application is reached by its own scheme, by https at an address that it claimed, or by http on the
 * device itself. The library takes no client with any other URI.
 */
export const isDeviceUri = (url: URL): boolean =>
  !isWebUri(url) || LOOPBACK.has(url.hostname) === (url.protocol === 'http:');
