import { type Account, errors, type Provider } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { JwtAccessTokens } from '../access-tokens/jwt-access-token.ts';
import { findAccount } from '../account.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import { invalidGrant } from '../endpoint/error-body.ts';
import type { Grant as GrantOfOurs, TokenRequest } from '../endpoint/token-request.ts';
import { ORGANIZATIONS_SCOPE } from '../resources/organizations.ts';
import { notAskedFor } from '../resources/resource-servers.ts';
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
  /** Made the refresh token with the code, and makes opaque tokens and ID tokens. */
  provider: Provider;
  accessTokens: JwtAccessTokens;
  refreshTokens: RefreshTokens;
}

/** A refresh token that may be used now, with all that it stands for. */
interface Source {
  token: RefreshToken & { grantId: string };
  grant: Grant;
  account: Account;
}

/** The part of the grant that a request asks for. */
interface Asked {
  scopes: Set<string>;
  resource: string | undefined;
  organizationId: string | undefined;
}

interface Access {
  value: string;
  /** Seconds. */
  expiresIn: number;
  scope: string;
  audience: string | undefined;
}

/** A confidential application's refresh token is rotated after this part of its life, as it is of no use without a secret. */
const ROTATED_AFTER = 0.7;

function rotates(client: OAuthClient, { iat, exp }: { iat: number; exp: number }, now: number): boolean {
  if (client.token_endpoint_auth_method === 'none') return true;
  return client.rotate_refresh_token === true && now / 1000 - iat >= (exp - iat) * ROTATED_AFTER;
}

const ended = () => invalidGrant('the grant of this refresh token was revoked or has expired');

/** RFC 6749 §6: never more than was granted. */
function askedOf(
  { scope, resource, organization_id: organizationId }: TokenRequest['params'],
  token: RefreshToken,
): Asked {
  const granted = token.scopes;
  const scopes = scope === undefined ? granted : new Set(scope.split(' '));
  const missing = [...scopes].filter((name) => !granted.has(name)).join(' ');
  if (missing !== '') throw new errors.InvalidScope(`refresh token lacks scope ${missing}`, missing);
  if (organizationId !== undefined && !granted.has(ORGANIZATIONS_SCOPE))
    throw new errors.InsufficientScope(`refresh token lacks scope ${ORGANIZATIONS_SCOPE}`, ORGANIZATIONS_SCOPE);

  if (resource !== undefined && ![token.resource].flat().includes(resource)) throw notAskedFor(resource);
  // Without `openid` there is nothing to read at the userinfo endpoint: the token is for the one resource there is.
  const only = organizationId === undefined && !scopes.has('openid') && typeof token.resource === 'string';
  return { scopes, organizationId, resource: resource ?? (only ? (token.resource as string) : undefined) };
}

/**
 * A refresh token goes in, an access token comes out, and with it the refresh token to use next.
 *
 * Sign, spend, answer, as in an exchange. Whatever can be refused is refused before anything is written, and a token is
 * spent only once its answer is complete: an error on the way costs nobody their session.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-6 RFC 6749 §6}
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens OpenID Connect Core §12}
 */
export function refresh(collaborators: RefreshCollaborators): GrantOfOurs {
  const { store, clock, provider, accessTokens, refreshTokens } = collaborators;

  async function sourceOf({ client_id: clientId }: OAuthClient, { params, onUser }: TokenRequest): Promise<Source> {
    if (params.refresh_token === undefined) throw new errors.InvalidRequest('refresh_token is required');
    const token = await provider.RefreshToken.find(params.refresh_token, { ignoreExpiration: true });
    if (!token) throw invalidGrant('refresh token is unknown or was revoked');
    onUser(token.accountId);
    const { grantId } = token;
    if (token.clientId !== clientId) throw invalidGrant('refresh token was issued to another application');
    if (token.isExpired) throw invalidGrant('refresh token has expired');
    const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId, { ignoreExpiration: true });
    if (grantId === undefined || !grant || grant.isExpired || grant.clientId !== clientId) throw ended();
    if (grant.accountId !== token.accountId) throw ended();
    if (token.consumed !== undefined && refreshTokens.isReplay(token.consumed as number)) {
      await endGrant(store, grantId, clock());
      throw invalidGrant('refresh token was already used');
    }
    const account = await findAccount(store, token.accountId);
    if (!account) throw invalidGrant('the user is suspended or no longer exists');
    return { token: Object.assign(token, { grantId }), grant, account };
  }

  async function jwtOf({ token, grant }: Source, { scopes, resource, organizationId }: Asked): Promise<Access> {
    const user = { userId: token.accountId, who: 'user' };
    const { audience, ttl, held } = await userTarget(collaborators, user, { resource, organizationId });
    const granted = grant.getResourceScopeFiltered(resource ?? ORGANIZATIONS_RESOURCE, scopes).split(' ');
    const scope = granted.filter((name) => held.includes(name)).join(' ');
    const { accountId, clientId = '', grantId, sessionUid } = token;
    const gty = lineageOf(token);
    const described = { jti: newId(), kind: 'AccessToken', clientId, accountId, aud: audience, scope } as const;
    const { jwt, expiresAt } = await accessTokens.issue(
      { ...described, grantId, gty, sessionUid, organizationId },
      ttl,
    );
    await rememberJwt(store, { id: described.jti, grantId, accountId, clientId, expiresAt });
    return { value: jwt, expiresIn: ttl, scope, audience };
  }

  /** For the userinfo endpoint, and as an actor token. Written before the spend; nobody knows it if that fails. */
  async function opaqueOf({ token, grant }: Source, { scopes }: Asked, client: Client): Promise<Access> {
    const { accountId, expiresWithSession, grantId, sessionUid, sid, claims } = token;
    const scope = grant.getOIDCScopeFiltered(scopes);
    const gty = lineageOf(token);
    const fields = { accountId, client, expiresWithSession, grantId, gty, sessionUid, sid, claims, scope };
    const access = new provider.AccessToken(fields as never);
    return { value: await access.save(), expiresIn: access.expiration, scope, audience: undefined };
  }

  /** `auth_time` and `acr` are told when the sign-in was asked for them: the token's `claims` say so. */
  async function idTokenOf({ token, grant, account }: Source, { scopes }: Asked, client: Client): Promise<string> {
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

  /** Spends the token where it rotates. @returns the refresh token to use next */
  async function nextOf({ token }: Source, client: Client, mayRotate: boolean): Promise<string> {
    const { jti: value, grantId } = token;
    if (mayRotate && token.consumed === undefined) {
      const next = new provider.RefreshToken({ ...fieldsOf(token), client });
      // Written first, so that a spent token always has one in its place; nobody knows it if the spend fails.
      const successor = await next.save();
      if (await refreshTokens.spend({ value, grantId, successor })) return successor;
      await next.destroy();
    }
    const newest = await refreshTokens.newestOf(value, grantId);
    if (newest === undefined) throw ended();
    return newest;
  }

  return {
    parameters: ['refresh_token', 'resource', 'scope', 'organization_id'],

    async issue(request) {
      const source = await sourceOf(request.client, request);
      const asked = askedOf(request.params, source.token);
      const client = await provider.Client.find(request.client.client_id);
      if (!client) throw new errors.InvalidClientAuth('client not found');
      const isForResource = asked.resource !== undefined || asked.organizationId !== undefined;
      const access = await (isForResource ? jwtOf(source, asked) : opaqueOf(source, asked, client));
      const idToken = asked.scopes.has('openid') ? await idTokenOf(source, asked, client) : undefined;
      const times = source.token as unknown as { iat: number; exp: number };
      const refreshToken = await nextOf(source, client, rotates(request.client, times, clock()));
      const response = {
        access_token: access.value,
        refresh_token: refreshToken,
        id_token: idToken,
        token_type: 'Bearer',
        expires_in: access.expiresIn,
        scope: access.scope,
      } as const;
      return { response, audience: access.audience };
    },
  };
}

const GTY = 'refresh_token';

/** The grants that a token comes from, the first one first. */
const lineageOf = ({ gty = '' }: RefreshToken): string => (gty.endsWith(GTY) ? gty : `${gty} ${GTY}`);

/** The next refresh token inherits everything but the value and the times. */
function fieldsOf(token: RefreshToken & { grantId: string }) {
  const { accountId, acr, amr, authTime, claims, expiresWithSession, grantId, iiat, nonce, resource, sessionUid, sid } =
    token;
  const { scope = '', rotations = 0 } = token;
  const kept = { accountId, acr, amr, authTime, claims, expiresWithSession, grantId, iiat, nonce, resource };
  return { ...kept, sessionUid, sid, scope, gty: lineageOf(token), rotations: rotations + 1 };
}
