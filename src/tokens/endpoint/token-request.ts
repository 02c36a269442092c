import type { ParsedUrlQuery } from 'node:querystring';
import { errors } from 'oidc-provider';
import type { RequestFacts } from '../../http/context.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import type { Actor } from '../exchange/actor-token.ts';
import type { FoundSubjectToken } from '../exchange/find-subject-token.ts';

/** The subject token and the actor of a token exchange, from which its claims and audit entries are made. */
export interface ExchangeParties {
  subjectToken: FoundSubjectToken;
  actor?: Actor | undefined;
}

/** The input of one of our grants. The client is authenticated and may use the grant. */
export interface TokenRequest {
  client: OAuthClient;
  /** Name of the secret that the client authenticated with; never the value. */
  secretName: string | undefined;
  /** The parameters of the grant. An empty one counts as not sent (RFC 6749 §3.2). */
  params: Readonly<Record<string, string | undefined>>;
  /** All parameters as sent, including empty and repeated ones. */
  form: ParsedUrlQuery;
  facts: RequestFacts;
  /** Reports the subject token, and later the actor, of an exchange for the audit entry of a refusal. */
  onExchange(parties: ExchangeParties): void;
  /** Reports the user of a presented token for the same audit entry. */
  onUser(userId: string): void;
}

/** A successful response of the token endpoint (RFC 6749 §5.1). */
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
  /** Audience of the token, including a default one; undefined for an opaque token. */
  audience: string | undefined;
}

/** A grant that we serve ourselves. The others are oidc-provider's. */
export interface OwnGrant {
  parameters: readonly string[];
  /** @throws an error of oidc-provider, which is sent to the client */
  issue(request: TokenRequest): Promise<IssuedToken>;
}

/** Scopes, separated by single spaces (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

/** Returns one parameter, undefined if empty. @throws `invalid_request` if it was sent twice */
export function paramOf(form: ParsedUrlQuery, name: string): string | undefined {
  const value = form[name];
  if (Array.isArray(value)) throw new errors.InvalidRequest(`'${name}' parameter must not be provided twice`);
  return value || undefined;
}

/**
 * Returns the named parameters of a form.
 *
 * @throws `invalid_target` for several resources, `invalid_request` for another repeated parameter, `invalid_scope`
 */
export function paramsOf(form: ParsedUrlQuery, names: readonly string[]): TokenRequest['params'] {
  const params: Record<string, string | undefined> = {};
  for (const name of names) {
    if (name === 'resource' && Array.isArray(form.resource))
      throw new errors.InvalidTarget('only one resource is allowed');
    params[name] = paramOf(form, name);
  }
  if (params.scope !== undefined && !SCOPE.test(params.scope))
    throw new errors.InvalidScope('scope contains invalid characters', params.scope);
  return params;
}
