import { type Account, errors, type Provider } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ROTATION_AGE } from '../../entities.ts';
import type { JwtAccessTokens } from '../access-tokens/jwt-access-token.ts';
import { findAccount } from '../account.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import { type GrantType, type IssuedToken, type TokenRequest, withParties } from '../endpoint/token-request.ts';
import { ORGANIZATIONS_SCOPE } from '../resources/organizations.ts';
import { resourceNotRequested } from '../resources/resource-servers.ts';
import { type Targets, userTarget } from '../resources/user-target.ts';
import { endGrant } from '../revocation/end-access.ts';
import { rememberJwt } from '../revocation/issued-jwts.ts';
import { ORGANIZATIONS_RESOURCE } from '../urns.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

type RefreshToken = InstanceType<Provider['RefreshToken']>;
type Grant = InstanceType<Provider['Grant']>;
type Client = InstanceType<Provider['Client']>;

export interface RefreshCollaborators extends Targets {
  store: TenantStore;
  clock: Clock;
  /** Finds refresh tokens, and issues opaque access tokens and ID tokens. */
  provider: Provider;
  accessTokens: JwtAccessTokens;
  refreshTokens: RefreshTokens;
}

/** A verified refresh token with its grant and account. */
interface VerifiedRefreshToken {
  token: RefreshToken;
  grant: Grant;
  account: Account;
}

/** The part of the grant that a request wants (RFC 6749 §6). */
interface RequestedAccess {
  scopes: Set<string>;
  resource: string | undefined;
  organizationId: string | undefined;
}

function shouldRotate(client: OAuthClient, { iat, exp = iat }: RefreshToken, now: number): boolean {
  if (client.token_endpoint_auth_method === 'none') return true;
  return client.rotate_refresh_token === true && now / 1000 - iat >= (exp - iat) * ROTATION_AGE;
}

const grantEnded = () => new errors.InvalidGrant('the grant of this refresh token was revoked or has expired');

/** Returns what a request wants, which must not exceed the original grant (RFC 6749 §6). */
function requestedAccessOf(
  { scope, resource, organization_id: organizationId }: TokenRequest['params'],
  token: RefreshToken,
): RequestedAccess {
  const granted = token.scopes;
  const scopes = scope === undefined ? granted : new Set(scope.split(' '));
  const missing = [...scopes].filter((name) => !granted.has(name)).join(' ');
  if (missing !== '') throw new errors.InvalidScope(`refresh token lacks scope ${missing}`, missing);
  if (organizationId !== undefined && !granted.has(ORGANIZATIONS_SCOPE))
    throw new errors.InsufficientScope(`refresh token lacks scope ${ORGANIZATIONS_SCOPE}`, ORGANIZATIONS_SCOPE);

  if (resource !== undefined && ![token.resource].flat().includes(resource)) throw resourceNotRequested(resource);
  // Without `openid` the token is useless at the userinfo endpoint, so it is for the only resource of the grant.
  const only = organizationId === undefined && !scopes.has('openid') && typeof token.resource === 'string';
  return { scopes, organizationId, resource: resource ?? (only ? (token.resource as string) : undefined) };
}

/**
 * The refresh token grant: issues an access token, an ID token if `openid` was granted, and the next refresh token.
 *
 * The order is check, sign, spend, respond. All checks come before the first write, and the refresh token is spent only
 * when the response is complete, so an error never costs users their session.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-6 RFC 6749 §6}
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens OpenID Connect Core §12}
 */
export function refresh(collaborators: RefreshCollaborators): GrantType {
  const { store, clock, provider, accessTokens, refreshTokens } = collaborators;

  async function verify(token: RefreshToken, { client_id: clientId }: OAuthClient): Promise<VerifiedRefreshToken> {
    const { grantId = '' } = token;
    if (token.clientId !== clientId) throw new errors.InvalidGrant('refresh token was issued to another application');
    if (token.isExpired) throw new errors.InvalidGrant('refresh token has expired');
    const [grant, account] = await Promise.all([
      provider.Grant.find(grantId, { ignoreExpiration: true }),
      findAccount(store, token.accountId),
    ]);
    if (!grant || grant.isExpired || grant.clientId !== clientId || grant.accountId !== token.accountId)
      throw grantEnded();
    if (token.consumed !== undefined && refreshTokens.isReplay(token.consumed as number)) {
      await endGrant(store, grantId, clock());
      throw new errors.InvalidGrant('refresh token was already used');
    }
    if (!account) throw new errors.InvalidGrant('the user is suspended or no longer exists');
    return { token, grant, account };
  }

  async function issueJwt(
    { token, grant }: VerifiedRefreshToken,
    { scopes, resource, organizationId }: RequestedAccess,
  ) {
    const user = { userId: token.accountId, who: 'user' };
    const { audience, ttl, held } = await userTarget(collaborators, user, { resource, organizationId });
    const granted = grant.getResourceScopeFiltered(resource ?? ORGANIZATIONS_RESOURCE, scopes).split(' ');
    const scope = granted.filter((name) => held.includes(name)).join(' ');
    const { accountId, clientId = '', sessionUid } = token;
    const { jti: grantId } = grant;
    const gty = lineageOf(token);
    const described = { jti: newId(), kind: 'AccessToken', clientId, accountId, aud: audience, scope } as const;
    const { jwt, expiresAt } = await accessTokens.issue(
      { ...described, grantId, gty, sessionUid, organizationId },
      ttl,
    );
    await rememberJwt(store, { id: described.jti, grantId, accountId, clientId, expiresAt });
    return { value: jwt, expiresIn: ttl, scope, audience };
  }

  /** Issues an opaque token, for userinfo or for use as an actor token. If the spend then fails, it is never sent. */
  async function issueOpaqueToken({ token, grant }: VerifiedRefreshToken, { scopes }: RequestedAccess, client: Client) {
    const { accountId, expiresWithSession, sessionUid, sid, claims } = token;
    const scope = grant.getOIDCScopeFiltered(scopes);
    const gty = lineageOf(token);
    const fields = { accountId, client, expiresWithSession, grantId: grant.jti, gty, sessionUid, sid, claims, scope };
    const access = new provider.AccessToken(fields as never);
    return { value: await access.save(), expiresIn: access.expiration, scope, audience: undefined };
  }

  /** Issues an ID token. It has `auth_time` and `acr` if the authorization request asked for them in `claims`. */
  async function issueIdToken(
    { token, grant, account }: VerifiedRefreshToken,
    { scopes }: RequestedAccess,
    client: Client,
  ): Promise<string> {
    const scope = grant.getOIDCScopeFiltered(scopes);
    const { acr, amr, authTime } = token;
    const available = { ...(await account.claims('id_token', scope, {}, [])), acr, amr, auth_time: authTime };
    const claims = new provider.Claims(available, { client });
    claims.scope(scope).mask(token.claims?.id_token ?? {});
    claims.rejected(grant.getRejectedOIDCClaims());
    const idToken = new provider.IdToken({}, { client });
    for (const [name, value] of Object.entries(await claims.result())) idToken.set(name, value);
    idToken.set('nonce', token.nonce);
    idToken.set('sid', token.sid);
    return idToken.issue({ use: 'idtoken' });
  }

  /** Spends the token if it rotates. @returns the next refresh token */
  async function nextRefreshToken(
    { token, grant: { jti: grantId } }: VerifiedRefreshToken,
    client: Client,
    mayRotate: boolean,
  ): Promise<string> {
    const { jti: value } = token;
    if (mayRotate && token.consumed === undefined) {
      const next = new provider.RefreshToken({ ...fieldsOf(token), grantId, client });
      // Written first, so that a spent token always has a successor. If the spend fails, it is never sent.
      const successor = await next.save();
      if (await refreshTokens.spend({ value, grantId, successor })) return successor;
      await next.destroy();
    }
    const newest = await refreshTokens.newestOf(value, grantId);
    if (newest === undefined) throw grantEnded();
    return newest;
  }

  async function issueFor(token: RefreshToken, request: TokenRequest): Promise<IssuedToken> {
    const verified = await verify(token, request.client);
    const requested = requestedAccessOf(request.params, token);
    const client = await provider.Client.find(request.client.client_id);
    if (!client) throw new errors.InvalidClientAuth('client not found');
    const isForResource = requested.resource !== undefined || requested.organizationId !== undefined;
    const access = await (isForResource
      ? issueJwt(verified, requested)
      : issueOpaqueToken(verified, requested, client));
    const idToken = requested.scopes.has('openid') ? await issueIdToken(verified, requested, client) : undefined;
    const refreshToken = await nextRefreshToken(verified, client, shouldRotate(request.client, token, clock()));
    const response = {
      access_token: access.value,
      refresh_token: refreshToken,
      id_token: idToken,
      token_type: 'Bearer',
      expires_in: access.expiresIn,
      scope: access.scope,
    } as const;
    return { response, audience: access.audience, userId: token.accountId };
  }

  return {
    parameters: ['refresh_token', 'resource', 'scope', 'organization_id'],

    async issue(request) {
      const { refresh_token: value } = request.params;
      if (value === undefined) throw new errors.InvalidRequest('refresh_token is required');
      const token = await provider.RefreshToken.find(value, { ignoreExpiration: true });
      if (!token) throw new errors.InvalidGrant('refresh token is unknown or was revoked');
      return withParties({ userId: token.accountId }, () => issueFor(token, request));
    },
  };
}

const GTY = 'refresh_token';

/** The grant types through which a token was issued, oldest first, as oidc-provider's `gty` has them. */
const lineageOf = ({ gty = '' }: RefreshToken): string => (gty.endsWith(GTY) ? gty : `${gty} ${GTY}`);

/** The fields that the next refresh token inherits: everything except value, grant and times. */
function fieldsOf(token: RefreshToken) {
  const { accountId, acr, amr, authTime, claims, expiresWithSession, iiat, nonce, resource, sessionUid, sid } = token;
  const { scope = '', rotations = 0 } = token;
  const kept = { accountId, acr, amr, authTime, claims, expiresWithSession, iiat, nonce, resource, sessionUid, sid };
  return { ...kept, scope, gty: lineageOf(token), rotations: rotations + 1 };
}
