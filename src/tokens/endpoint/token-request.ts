import type { ParsedUrlQuery } from 'node:querystring';
import { errors } from 'oidc-provider';
import type { RequestFacts } from '../../http/context.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** What a grant of ours is given: of a client that has proven itself and may use it. */
export interface TokenRequest {
  client: OAuthClient;
  /** Name of the secret it proved itself with; never the value. */
  secretName: string | undefined;
  /** The grant's own, each once. RFC 6749 §3.2: one without a value is as if it was not sent. */
  params: Readonly<Record<string, string | undefined>>;
  /** As it was sent, with those that are empty. */
  form: ParsedUrlQuery;
  facts: RequestFacts;
  /** Tells how far an exchange came: a refusal is recorded with it. */
  onExchange(exchange: Exchange): void;
  /** Tells whose token was presented, for the same record. */
  onUser(userId: string): void;
}

/** RFC 6749 §5.1 */
export interface TokenResponse {
  access_token: string;
  /** RFC 8693 §2.2.1 */
  issued_token_type?: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  scope?: string | undefined;
  refresh_token?: string;
  /** OpenID Connect Core §3.1.3.3 */
  id_token?: string | undefined;
}

export interface IssuedToken {
  response: TokenResponse;
  /** The token's audience, also where the request named none; undefined for an opaque token. */
  audience: string | undefined;
}

/** A way to a token that we answer ourselves; the others are oidc-provider's. */
export interface Grant {
  parameters: readonly string[];
  /** @throws an error of oidc-provider's, which the client is told */
  issue(request: TokenRequest): Promise<IssuedToken>;
}

/** RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

/** One parameter. @throws `invalid_request` when it was sent twice */
export function paramOf(form: ParsedUrlQuery, name: string): string | undefined {
  const value = form[name];
  if (Array.isArray(value)) throw new errors.InvalidRequest(`'${name}' parameter must not be provided twice`);
  return value || undefined;
}

/** @throws `invalid_target` for several resources, `invalid_request` for another parameter sent twice, `invalid_scope` */
export function paramsOf(form: ParsedUrlQuery, names: readonly string[]): TokenRequest['params'] {
  const params: Record<string, string | undefined> = {};
  for (const name of names) {
    if (name === 'resource' && Array.isArray(form.resource))
      throw new errors.InvalidTarget('only one resource can be named');
    params[name] = paramOf(form, name);
  }
  if (params.scope !== undefined && !SCOPE.test(params.scope))
    throw new errors.InvalidScope('scope contains invalid characters', params.scope);
  return params;
}
