import type { ParsedUrlQuery } from 'node:querystring';
import { errors, type Provider } from 'oidc-provider';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Clients } from '../clients/clients.ts';
import { ACCESS_TOKEN } from '../urns.ts';

export interface Actor {
  id: string;
  /** The application that the actor token was given to. */
  clientId: string;
  /** Of the sign-in that the actor token comes from. */
  sessionUid: string | undefined;
}

/** The parts that look an actor token up. */
export interface ActorTokens {
  provider: Provider;
  store: TenantStore;
  clients: Pick<Clients, 'find'>;
}

const isJwt = (token: string): boolean => token.split('.').length === 3;

/**
 * The actor of an exchange, from the `actor_token`; undefined when none was sent.
 *
 * Only an opaque access token of a person, with `openid`, given to an application that is no third party's, is one: what
 * such an application gets from the code or refresh grant without a resource. The form itself is read: elsewhere an empty parameter counts
 * as absent, and an empty `actor_token` must never mean "no actor".
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
      'actor token is a JWT; send the access token of a sign-in with scope openid that asked for no resource',
    );
  }
  return findActor({ provider, store, clients }, token);
}

async function findActor({ provider, store, clients }: ActorTokens, token: string): Promise<Actor> {
  const notValid = new errors.InvalidRequest('actor token is not valid');

  const accessToken = await provider.AccessToken.find(token);
  if (!accessToken?.isValid) throw notValid;
  // The grant may have ended (sign-out, theft) while the token lives on.
  const [grant, user, client] = await Promise.all([
    accessToken.grantId ? provider.Grant.find(accessToken.grantId) : undefined,
    store.find('users', { id: accessToken.accountId }),
    accessToken.clientId === undefined ? undefined : clients.find(accessToken.clientId),
  ]);
  if (!grant || grant.isExpired || grant.accountId !== accessToken.accountId) throw notValid;
  if (!accessToken.scopes.has('openid')) throw new errors.InvalidRequest('actor token lacks scope openid');
  if (!user || user.isSuspended || !client) throw notValid;
  // People sign in there, but it is not theirs to say who acts here: its owner could act as each of them.
  if (client.is_third_party)
    throw new errors.InvalidRequest('actor token was given to an application of a third party');
  return { id: user.id, clientId: client.client_id, sessionUid: accessToken.sessionUid };
}
