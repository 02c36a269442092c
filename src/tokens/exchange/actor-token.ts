import type { ParsedUrlQuery } from 'node:querystring';
import { errors, type Provider } from 'oidc-provider';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Clients } from '../clients/clients.ts';
import { ACCESS_TOKEN } from '../urns.ts';

export interface Actor {
  id: string;
  /** The application that the actor token was issued to. */
  clientId: string;
  /** Session of the sign-in that produced the actor token. */
  sessionUid: string | undefined;
}

/** Where an actor token is looked up. */
export interface ActorTokens {
  provider: Provider;
  store: TenantStore;
  clients: Pick<Clients, 'find'>;
}

const isJwt = (token: string): boolean => token.split('.').length === 3;

/**
 * Returns the actor of an exchange from its `actor_token`, or undefined when none was sent.
 *
 * An actor token is an opaque access token of a user, with scope `openid`, issued to a first-party application: the
 * token of the code or refresh grant without a resource. This reads the raw form, because elsewhere an empty parameter
 * counts as absent, and an empty `actor_token` must never mean "no actor".
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1 RFC 8693 §2.1}
 */
export async function verifyActorToken(
  form: ParsedUrlQuery,
  { provider, store, clients }: ActorTokens,
): Promise<Actor | undefined> {
  const { actor_token: token, actor_token_type: type } = form;
  if (token === undefined && type === undefined) return undefined;
  if (token === undefined) throw new errors.InvalidRequest('actor_token_type must not be sent without actor_token');
  if (typeof token !== 'string' || token === '') throw new errors.InvalidRequest('actor_token must not be empty');
  if (type === undefined || type === '')
    throw new errors.InvalidRequest('actor_token_type is required with actor_token');
  if (type !== ACCESS_TOKEN) throw new errors.InvalidRequest(`actor_token_type must be ${ACCESS_TOKEN}`);
  if (isJwt(token)) {
    throw new errors.InvalidRequest(
      'actor token is a JWT; send an opaque access token from a sign-in with scope openid and no resource',
    );
  }
  return findActor({ provider, store, clients }, token);
}

async function findActor({ provider, store, clients }: ActorTokens, token: string): Promise<Actor> {
  const notValid = new errors.InvalidRequest('actor token is not valid');

  const accessToken = await provider.AccessToken.find(token);
  if (!accessToken?.isValid) throw notValid;
  // The grant may have ended (sign-out, replayed refresh token) before the token expires.
  const [grant, user, client] = await Promise.all([
    accessToken.grantId ? provider.Grant.find(accessToken.grantId) : undefined,
    store.find('users', { id: accessToken.accountId }),
    accessToken.clientId === undefined ? undefined : clients.find(accessToken.clientId),
  ]);
  if (!grant || grant.isExpired || grant.accountId !== accessToken.accountId) throw notValid;
  if (!accessToken.scopes.has('openid')) throw new errors.InvalidRequest('actor token lacks scope openid');
  if (!user || user.isSuspended || !client) throw notValid;
  // The owner of a third-party application has the tokens of all its users, and could use any of them as the actor.
  if (client.is_third_party) throw new errors.InvalidRequest('actor token was issued to a third-party application');
  return { id: user.id, clientId: client.client_id, sessionUid: accessToken.sessionUid };
}
