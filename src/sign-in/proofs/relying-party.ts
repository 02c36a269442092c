import * as oauth from 'openid-client';
import { normalEmail } from '../../base/email-and-phone.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { isLoopbackHost } from '../../config/index.ts';
import type { ConnectorRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { connectorPurposeOf } from './connectors.ts';

/** Limit for one request to the provider, including its response. */
const DEADLINE_MS = 10_000;
const MAX_RESPONSE_BYTES = 256 * 1024;

/**
 * Tenants choose the issuer, so it is requested like a webhook's endpoint: public addresses only, with a size limit and
 * a deadline.
 */
const guardedFetch =
  (client: HttpClient): oauth.CustomFetch =>
  async (url, { method, headers, body }) => {
    const reply = await client.request({
      url,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? undefined : String(body),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    const contentType = String(reply.headers['content-type'] ?? '');
    return new Response(new Uint8Array(reply.body), { status: reply.status, headers: { 'content-type': contentType } });
  };

/**
 * Sends the client secret in the header, or in the body for a provider such as Apple that supports nothing else
 * (OpenID Connect Discovery §3: without a list of methods, it supports the header).
 */
const clientSecret =
  (secret: string): oauth.ClientAuth =>
  (provider, ...request) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    return (isInBody ? oauth.ClientSecretPost : oauth.ClientSecretBasic)(secret)(provider, ...request);
  };

/** The data that verifies the provider's response. Stored with the verification, never shown. */
export interface Handshake extends Record<string, unknown> {
  target: string;
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

/** The user as the provider describes them. */
export interface SocialIdentity {
  externalId: string;
  email: string | undefined;
  /** Undefined if the provider does not say. */
  isEmailVerified: boolean | undefined;
  name: string | undefined;
  avatar: string | undefined;
}

/**
 * This service as a client of a tenant's identity provider: code flow with PKCE, state and nonce (OpenID Connect Core
 * §3.1).
 */
export class RelyingParty {
  readonly #fetch: oauth.CustomFetch;
  readonly #secrets: SecretBox;

  constructor(client: HttpClient, secrets: SecretBox) {
    this.#fetch = guardedFetch(client);
    this.#secrets = secrets;
  }

  /**
   * @param stateOwner first part of `state`, by which the callback finds the interaction. The provider sees it, so it
   * must not be a secret.
   */
  async begin(tenantId: string, connector: ConnectorRow, redirectUri: string, stateOwner: string) {
    const configuration = await this.#discover(tenantId, connector);
    const verifier = oauth.randomPKCECodeVerifier();
    const state = `${stateOwner}.${oauth.randomState()}`;
    const handshake: Handshake = { target: connector.target, state, nonce: oauth.randomNonce(), verifier, redirectUri };
    const url = oauth.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: connector.scope,
      state,
      nonce: handshake.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { handshake, url: url.href };
  }

  /**
   * Redeems the code and returns the identity.
   *
   * @throws 422 `session.social_failed` for any failure: the user denied access, or the response was forged
   */
  async finish(
    tenantId: string,
    connector: ConnectorRow,
    handshake: Handshake,
    search: string,
  ): Promise<SocialIdentity> {
    const { state, nonce, verifier, redirectUri } = handshake;
    const configuration = await this.#discover(tenantId, connector);
    try {
      const tokens = await oauth.authorizationCodeGrant(configuration, new URL(search, redirectUri), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims() as oauth.IDToken;
      const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const info = hasUserinfo ? await oauth.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
      return identityOf(claims, info);
    } catch (cause) {
      throw Object.assign(new ServiceError('session.social_failed'), { cause });
    }
  }

  async #discover(
    tenantId: string,
    { id, issuer, clientId, clientSecretEncrypted }: ConnectorRow,
  ): Promise<oauth.Configuration> {
    const url = new URL(issuer);
    const isLocal = url.protocol === 'http:' && isLoopbackHost(url.hostname);
    const secret = this.#secrets.open(clientSecretEncrypted, connectorPurposeOf(tenantId, id));
    try {
      return await oauth.discovery(url, clientId, undefined, clientSecret(secret), {
        [oauth.customFetch]: this.#fetch,
        ...(isLocal && { execute: [oauth.allowInsecureRequests] }),
      });
    } catch (cause) {
      throw Object.assign(new ServiceError('session.social_failed'), { cause });
    }
  }
}

/** A boolean (OpenID Connect Core §5.1) that some providers send as a string. */
const VERIFIED: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
]);

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the address and whether it is verified. `email_verified` applies only to the `email` of the same source: the
 * ID token or userinfo. If the two sources name different addresses, nothing is verified.
 */
function emailOf(sources: readonly Claims[]): Pick<SocialIdentity, 'email' | 'isEmailVerified'> {
  const stated = sources.flatMap(({ email, email_verified: verified }) =>
    typeof email === 'string' ? [{ email: normalEmail(email), isVerified: VERIFIED.get(verified) }] : [],
  );
  const isOne = stated.every(({ email }) => email === stated[0]?.email);
  const isDenied = !isOne || stated.some(({ isVerified }) => isVerified === false);
  const isConfirmed = stated.some(({ isVerified }) => isVerified);
  return { email: stated[0]?.email, isEmailVerified: isDenied ? false : isConfirmed || undefined };
}

function identityOf(idToken: Claims, userinfo: Claims): SocialIdentity {
  const claims: Claims = { ...userinfo, ...idToken };
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : undefined);
  return {
    externalId: String(idToken.sub),
    ...emailOf([idToken, userinfo]),
    name: text('name')?.slice(0, 128),
    avatar: text('picture')?.slice(0, 2048),
  };
}
