import type { ParsedUrlQuery } from 'node:querystring';
import { LRUCache } from 'lru-cache';
import { errors } from 'oidc-provider';
import { type Clock, secondsOf } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Clients } from '../clients/clients.ts';
import { payloadPurposeOf } from '../session-interactions.ts';
import { ACCESS_TOKEN } from '../urns.ts';
import { type ActorTokenLinks, type ActorTokenRow, actorTokenByHash } from './find-actor-token.ts';

export interface Actor {
  id: string;
  /** The application that the actor token was issued to. */
  clientId: string;
  /** The session of the sign-in that produced the actor token. Undefined if it has ended. */
  session: SignIn | undefined;
}

/** How and when a user signed in, as oidc-provider stores it in a session. */
interface SignIn {
  /** Epoch seconds. */
  loginTs?: number;
  acr?: string;
}

/** Fields of all payloads of oidc-provider. `exp` is in epoch seconds. */
interface Payload {
  accountId?: string;
  exp: number;
}

interface AccessToken extends Payload {
  clientId?: string;
  grantId?: string;
  scope?: string;
  sessionUid?: string;
  /** True for a token without `offline_access`. It is valid for as long as the session has the grant. */
  expiresWithSession?: boolean;
}

interface Session extends Payload, SignIn {
  /** By application. */
  authorizations?: Record<string, { grantId?: string }>;
}

/** The most payloads that are kept per tenant: three for an actor token. */
const MAX_OPENED = 1_000;

export interface ActorTokensOptions {
  store: TenantStore;
  secrets: SecretBox;
  clock: Clock;
  clients: Pick<Clients, 'find'>;
}

const isJwt = (token: string): boolean => token.split('.').length === 3;

/**
 * Returns the actor token of an exchange, or undefined if none was sent. This reads the raw form, because elsewhere an
 * empty parameter counts as absent, and an empty `actor_token` must never mean "no actor".
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1 RFC 8693 §2.1}
 */
function actorTokenOf({ actor_token: token, actor_token_type: type }: ParsedUrlQuery): string | undefined {
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
  return token;
}

const notValid = () => new errors.InvalidRequest('actor token is not valid');

/**
 * Verifies actor tokens. An actor token is an opaque access token of a user, with scope `openid`, issued to a first-party
 * application: the token of the code or refresh grant without a resource.
 *
 * One read returns the token with its grant, its session and its user. Their ids are in the token's sealed payload, so
 * the first use of a token reads twice. A payload that was opened is kept and counts for as long as the same sealed text
 * is stored in the same place; whether it is still stored, each use reads from the database.
 */
export class ActorTokens {
  readonly #options: ActorTokensOptions;
  /** By purpose, which names the record. Otherwise a payload copied to another record would open. */
  readonly #opened = new LRUCache<string, { sealed: string; payload: Payload }>({ max: MAX_OPENED });

  constructor(options: ActorTokensOptions) {
    this.#options = options;
  }

  /** Returns the actor of an exchange, or undefined if no actor token was sent. @throws `invalid_request` */
  async verify(form: ParsedUrlQuery): Promise<Actor | undefined> {
    const value = actorTokenOf(form);
    if (value === undefined) return undefined;
    const { token, row } = await this.#find(hashOf(value));
    const { accountId, clientId = '', grantId, scope = '', expiresWithSession = false } = token;

    const isLive = (payload: Payload | undefined): boolean =>
      payload !== undefined && payload.exp > secondsOf(this.#options.clock()) && payload.accountId === accountId;
    const grant = row.grantPayload === null ? undefined : this.#open('Grant', grantKey(token), row.grantPayload);
    const found: Session | undefined =
      row.sessionPayload === null ? undefined : this.#open('Session', row.sessionId ?? '', row.sessionPayload);
    const session = isLive(found) ? found : undefined;
    // The grant may have ended (sign-out, replayed refresh token) before the token expires.
    if (!isLive(token) || !isLive(grant)) throw notValid();
    if (expiresWithSession && session?.authorizations?.[clientId]?.grantId !== grantId) throw notValid();
    if (!scope.split(' ').includes('openid')) throw new errors.InvalidRequest('actor token lacks scope openid');

    const client = row.actorId === null ? undefined : await this.#options.clients.find(clientId);
    if (row.actorId === null || !client) throw notValid();
    // The owner of a third-party application has the tokens of all its users, and could use any of them as the actor.
    if (client.is_third_party) throw new errors.InvalidRequest('actor token was issued to a third-party application');
    return { id: row.actorId, clientId: client.client_id, session };
  }

  async #find(id: string): Promise<{ token: AccessToken; row: ActorTokenRow }> {
    const known: AccessToken | undefined = this.#opened.get(this.#purposeOf('AccessToken', id))?.payload;
    const row = await this.#read(id, known);
    const token: AccessToken = this.#open('AccessToken', id, row.tokenPayload);
    return { token, row: token === known ? row : await this.#read(id, token) };
  }

  async #read(id: string, token: AccessToken | undefined): Promise<ActorTokenRow> {
    const row = await this.#options.store.readOne(actorTokenByHash, { token_hash: id, ...linksOf(token) });
    if (!row) throw notValid();
    return row;
  }

  /** @throws an error of the service if the payload was not sealed for this record */
  #open<Opened extends Payload>(model: string, id: string, sealed: string): Opened {
    const purpose = this.#purposeOf(model, id);
    const known = this.#opened.get(purpose);
    if (known?.sealed === sealed) return known.payload as Opened;
    const payload: Opened = JSON.parse(this.#options.secrets.open(sealed, purpose));
    this.#opened.set(purpose, { sealed, payload });
    return payload;
  }

  #purposeOf(model: string, id: string): string {
    return payloadPurposeOf(this.#options.store.tenantId, model, id);
  }
}

/** The id of the grant's record. */
const grantKey = ({ grantId }: AccessToken): string => (grantId === undefined ? '' : hashOf(grantId));

const linksOf = (token: AccessToken = { exp: 0 }): ActorTokenLinks => ({
  grant_id: grantKey(token),
  session_uid: token.sessionUid ?? '',
  account_id: token.accountId ?? '',
});
