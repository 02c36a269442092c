import type { ApplicationRow } from '../../database/tables/index.ts';

type Uris = Partial<ApplicationRow['oidcClientMetadata']>;

const WEB = new Set(['https:', 'http:']);
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isWebUri = ({ protocol }: URL): boolean => WEB.has(protocol);

/** True for a native application and for a single-page application with a custom scheme (in an app or extension). */
export const runsOnDevice = (type: string, { redirectUris = [], postLogoutRedirectUris = [] }: Uris): boolean =>
  type === 'Native' ||
  (type === 'SPA' && [...redirectUris, ...postLogoutRedirectUris].some((uri) => !isWebUri(new URL(uri))));

/**
 * True for a redirect URI of an application on a device (RFC 8252 §7): a custom scheme, a claimed https URI, or http on
 * the loopback interface. oidc-provider refuses a native client with any other URI.
 */
export const isDeviceUri = (url: URL): boolean =>
  !isWebUri(url) || LOOPBACK.has(url.hostname) === (url.protocol === 'http:');
