import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { ApplicationRow } from '../../database/tables/index.ts';
import { DEFAULT_TOKEN_TTL } from '../../entities.ts';
import { DEFAULT_TENANT, type Tenant } from '../../tenants.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import { isConfidential, secretPurposeOf } from './application-secrets.ts';
import { CONSOLE_CLIENT_ID, consoleClient } from './console-client.ts';
import { type OAuthClient, pageClient } from './oauth-client.ts';

export const ACCOUNT_CLIENT_ID = 'account-page';

/** The client of the account page, which never redeems a code: it uses the browser's session. */
const accountClient = (endpoint: string): OAuthClient =>
  pageClient(ACCOUNT_CLIENT_ID, 'Account', `${endpoint}/account`);

/** Our own client metadata, in addition to the standard ones. */
export const CLIENT_EXTRAS = [
  'is_third_party',
  'cors_allowed_origins',
  'id_token_ttl',
  'refresh_token_ttl_days',
  'always_issue_refresh_token',
  'rotate_refresh_token',
  'require_pkce',
];

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

/** True if users can sign in to the application: the code flow needs a redirect URI. */
const isInteractive = ({ type, oidcClientMetadata }: ApplicationRow): boolean =>
  type !== 'MachineToMachine' && oidcClientMetadata.redirectUris.length > 0;

function grantTypesOf(application: ApplicationRow): string[] {
  const { type, isThirdParty, customClientMetadata } = application;
  const grants = type === 'MachineToMachine' ? ['client_credentials'] : ['refresh_token'];
  if (isInteractive(application)) grants.unshift('authorization_code');
  // Never for third-party applications, even if the row allows it.
  return customClientMetadata.allowTokenExchange && !isThirdParty ? [...grants, TOKEN_EXCHANGE] : grants;
}

function metadataOf(application: ApplicationRow): OAuthClient {
  const { id, name, type, oidcClientMetadata, customClientMetadata, isThirdParty } = application;
  return {
    client_id: id,
    client_name: name,
    application_type: runsOnDevice(type, oidcClientMetadata) ? 'native' : 'web',
    token_endpoint_auth_method: isConfidential(application) ? 'client_secret_basic' : 'none',
    // A placeholder that is never compared: an application has several secrets, see `nameOfSecret`.
    ...(isConfidential(application) && { client_secret: 'unused' }),
    grant_types: grantTypesOf(application),
    response_types: isInteractive(application) ? ['code'] : [],
    redirect_uris: isInteractive(application) ? oidcClientMetadata.redirectUris : [],
    post_logout_redirect_uris: isInteractive(application) ? oidcClientMetadata.postLogoutRedirectUris : [],
    is_third_party: isThirdParty,
    cors_allowed_origins: customClientMetadata.corsAllowedOrigins ?? [],
    id_token_ttl: customClientMetadata.idTokenTtl ?? DEFAULT_TOKEN_TTL,
    refresh_token_ttl_days: customClientMetadata.refreshTokenTtlInDays ?? 14,
    // As in Logto: a native application must request `offline_access`.
    always_issue_refresh_token: type !== 'Native' && (customClientMetadata.alwaysIssueRefreshToken ?? false),
    rotate_refresh_token: customClientMetadata.rotateRefreshToken ?? true,
    require_pkce: !isConfidential(application) || (customClientMetadata.requirePkce ?? true),
  };
}

/** Longer than any application id. */
const MAX_ID_LENGTH = 64;

interface StoredSecret {
  name: string;
  hash: Buffer;
  expiresAt: number | null;
}

const originOf = (uri: string): string | undefined => URL.parse(uri)?.origin;

/**
 * Is this origin allowed by CORS? Origins of redirect URIs and `corsAllowedOrigins` are. `null` never is, because every
 * sandboxed page and every URI with a custom scheme has that origin.
 */
export const isOwnOrigin = (
  origin: string,
  client: { redirect_uris?: readonly string[] | undefined; cors_allowed_origins?: unknown },
): boolean =>
  origin !== 'null' &&
  [...(client.redirect_uris ?? []).map(originOf), ...(client.cors_allowed_origins as string[])].includes(origin);

interface ClientsParts {
  cache: TenantCache;
  secrets: SecretBox;
  clock: Clock;
}

/** A tenant's OAuth clients: its applications, read through the cache, and the account page and console. */
export class Clients {
  readonly #tenant: Tenant;
  readonly #parts: ClientsParts;

  constructor(tenant: Tenant, parts: ClientsParts) {
    this.#tenant = tenant;
    this.#parts = parts;
  }

  async find(id: string): Promise<OAuthClient | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined; // Invented ids would only fill the cache.
    const { id: tenantId, endpoint, store } = this.#tenant;
    if (id === ACCOUNT_CLIENT_ID) return accountClient(endpoint);
    if (id === CONSOLE_CLIENT_ID && tenantId === DEFAULT_TENANT) return consoleClient(endpoint);
    return this.#parts.cache.get(tenantId, `client:${id}`, async () => {
      const application = await store.find('applications', { id });
      return application && metadataOf(application);
    });
  }

  /** Returns the name of the live secret with this value, if any. Compares with every secret, each in constant time. */
  async nameOfSecret(clientId: string, secret: string): Promise<string | undefined> {
    const stored = await this.#secretsOf(clientId);
    const given = Buffer.from(hashOf(secret));
    let found: string | undefined;
    for (const { name, hash, expiresAt } of stored) {
      const isLive = expiresAt === null || expiresAt > this.#parts.clock();
      if (timingSafeEqual(hash, given) && isLive) found = name;
    }
    return found;
  }

  /** True if this is a live secret of the client; undefined if there is no such confidential client. */
  async isSecretOf(clientId: string, secret: string): Promise<boolean | undefined> {
    const client = await this.find(clientId);
    if (!client || client.token_endpoint_auth_method === 'none') return undefined;
    return (await this.nameOfSecret(clientId, secret)) !== undefined;
  }

  #secretsOf(clientId: string): Promise<StoredSecret[]> {
    const { id: tenantId, store } = this.#tenant;
    return this.#parts.cache.get(tenantId, `secrets:${clientId}`, async () => {
      const rows = await store.from('applicationSecrets').where({ applicationId: clientId }).select('*');
      return rows.map(({ name, valueEncrypted, expiresAt }) => ({
        name,
        hash: Buffer.from(hashOf(this.#parts.secrets.open(valueEncrypted, secretPurposeOf(tenantId, clientId, name)))),
        expiresAt,
      }));
    });
  }
}
