import type { ParsedUrlQuery } from 'node:querystring';
import type { Request } from 'express';
import { errors } from 'oidc-provider';
import type { RequestFacts } from '../../http/context.ts';
import type { Admission } from '../../http/rate-limits/shared-limits.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import type { Actor } from '../exchange/actor-token.ts';
import type { FoundSubjectToken } from '../exchange/find-subject-token.ts';

/** The client credentials of a request, not yet verified. */
export interface PresentedClient {
  clientId: string;
  secret: string | undefined;
}

/** A token request. Each step of the endpoint returns a copy that knows more. */
export interface TokenAttempt {
  readonly request: Request;
  /** All parameters as sent, including empty and repeated ones. */
  readonly form: ParsedUrlQuery;
  /** The error if the request names no client, or names one in a wrong way. */
  readonly presented: PresentedClient | errors.OIDCProviderError;
  readonly facts: RequestFacts;
  /** `Access-Control-Allow-Origin` of the response. */
  readonly allowedOrigin: string | undefined;
  /** Milliseconds, as `performance.now()` returns them. */
  readonly startedAt: number;
  readonly admission: Admission;
  /** The named client if it exists, authenticated or not. */
  readonly client?: OAuthClient | undefined;
  /** Name of the secret that the client authenticated with; never the value. */
  readonly secretName?: string | undefined;
}

export interface AuthenticatedAttempt extends TokenAttempt {
  readonly client: OAuthClient;
}

/** The input of a grant. The client is authenticated and may use the grant. */
export interface TokenRequest extends AuthenticatedAttempt {
  /** The parameters of the grant. An empty one counts as not sent (RFC 6749 §3.2). */
  readonly params: Readonly<Record<string, string | undefined>>;
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
  audience: unknown;
  /** The user of the token, for the audit entry. An exchange writes its own entry when it spends the subject token. */
  userId?: string | undefined;
}

/** A grant type of the token endpoint. */
export interface GrantType {
  parameters: readonly string[];
  /** @throws an error of oidc-provider, which is sent to the client */
  issue(request: TokenRequest): Promise<IssuedToken>;
}

/** The subject token and the actor of a token exchange, from which its claims and audit entries are made. */
export interface ExchangeParties {
  subjectToken: FoundSubjectToken;
  actor?: Actor | undefined;
}

/** The user of a presented token, as far as a grant knows. */
export interface Parties extends Partial<ExchangeParties> {
  userId?: string | undefined;
}

/** The failure of a grant after it found out about the parties. It has the name of its cause, which traces show. */
export class GrantFailure extends Error {
  readonly parties: Parties;

  constructor(cause: unknown, parties: Parties) {
    super('the grant failed', { cause });
    if (cause instanceof Error) this.name = cause.name;
    this.parties = parties;
  }
}

/** Runs the rest of a grant. Its failure names these parties, for the audit entry, unless it names more already. */
export async function withParties<T>(parties: Parties, rest: () => Promise<T>): Promise<T> {
  try {
    return await rest();
  } catch (error) {
    throw error instanceof GrantFailure ? error : new GrantFailure(error, parties);
  }
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
