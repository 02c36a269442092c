import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import { errors } from 'oidc-provider';
import type { TokenAudit } from '../../audit/token-audit.ts';
import type { Clock } from '../../base/clock.ts';
import { unavailable } from '../../database/drivers/unavailable.ts';
import type { RequestFacts } from '../../http/context.ts';
import type { Admission } from '../../http/rate-limits/rate-limits.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Tenant } from '../../tenants.ts';
import { type Clients, isOwnOrigin } from '../clients/clients.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import { requireWithinLimit } from './admission.ts';
import { type AuditedRequest, issuedEntry, refusedEntry } from './audit.ts';
import { authenticate, presentedClient } from './client-authentication.ts';
import { describedError, GRANT_NOT_ALLOWED } from './error-body.ts';
import type { ObserveToken } from './metrics.ts';
import { type ExchangeParties, type OwnGrant, paramsOf, type TokenResponse } from './token-request.ts';

export interface TokenEndpointOptions {
  tenant: Tenant;
  clients: Clients;
  /** By `grant_type`. */
  grants: Readonly<Record<string, OwnGrant>>;
  audit: TokenAudit;
  observe?: ObserveToken | undefined;
  clock: Clock;
  logger: Logger;
}

/** The state of one token request, from which its response and audit entry are made. */
interface TokenAttempt extends AuditedRequest {
  grantType: string;
  form: ParsedUrlQuery;
  origin: string | undefined;
  /** `Access-Control-Allow-Origin` of the response. */
  allowedOrigin: string | undefined;
  authorization: string | undefined;
  admission: Admission;
  exchange?: ExchangeParties;
}

interface TokenReply {
  status: number;
  headers?: Record<string, string>;
  body: object;
}

const EXCHANGE_NOT_ALLOWED =
  'this application may not use token exchange: customClientMetadata.allowTokenExchange is not true';

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;

/**
 * `POST /oidc/token` for client credentials, refresh tokens and token exchange, which are most of a busy service's
 * requests. Rejected: oidc-provider's own path, whose overhead (a router and a context per request, a model object per
 * token) costs more than the grant itself. Error classes, the other grants and everything else are oidc-provider's.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5 RFC 6749 §5}
 */
export class TokenEndpoint {
  readonly #options: TokenEndpointOptions;

  constructor(options: TokenEndpointOptions) {
    this.#options = options;
  }

  /** True if the form has one of our grants. The others, and unknown ones, go to oidc-provider. */
  answers({ grant_type: type }: ParsedUrlQuery): boolean {
    return typeof type === 'string' && Object.hasOwn(this.#options.grants, type);
  }

  /** True if this is a live secret of the client; undefined if there is no such confidential client. */
  async isSecretOf(clientId: string, secret: string): Promise<boolean | undefined> {
    const { clients, clock } = this.#options;
    const client = await clients.find(clientId);
    if (!client || client.token_endpoint_auth_method === 'none') return undefined;
    return (await clients.nameOfSecret(clientId, secret, clock())) !== undefined;
  }

  /** Responds to a token request. @param form one for which `answers` returns true */
  async answer(
    { headers: { authorization, origin } }: IncomingMessage,
    response: ServerResponse,
    form: ParsedUrlQuery,
    facts: RequestFacts,
    admission: Admission,
  ): Promise<void> {
    const startedAt = performance.now();
    const grantType = form.grant_type as string;
    const attempt: TokenAttempt = {
      grantType,
      form,
      origin,
      allowedOrigin: origin ?? '*',
      authorization,
      admission,
      clientId: undefined,
      facts,
    };
    const { status, headers, body } = await this.#issue(attempt).then(
      (body): TokenReply => ({ status: 200, body }),
      (error): TokenReply => this.#refusal(attempt, error),
    );
    this.#options.observe?.(grantType, (body as { error?: string }).error, startedAt);
    const text = JSON.stringify(status >= 500 ? { ...body, requestId: facts.requestId } : body);
    response.writeHead(status, {
      ...(attempt.allowedOrigin && { 'Access-Control-Allow-Origin': attempt.allowedOrigin }),
      'Access-Control-Expose-Headers': 'WWW-Authenticate',
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      Vary: 'Origin',
      ...headers,
    });
    response.end(text);
  }

  async #issue(attempt: TokenAttempt): Promise<TokenResponse> {
    const { tenant, clients, grants, audit, clock } = this.#options;
    const { grantType, form, origin, authorization, admission, facts } = attempt;
    const presented = presentedClient(authorization, form);
    const found = await clients.find(presented.clientId);
    attempt.clientId = found?.client_id;
    if (found && origin !== undefined && !isOwnOrigin(origin, found)) {
      attempt.allowedOrigin = undefined;
      throw new errors.InvalidRequest(`origin ${origin} not allowed for client: ${found.client_id}`);
    }
    const { client, secretName } = await authenticate(clients, found, presented, clock());
    attempt.secretName = secretName;
    // A public client has not authenticated yet. It counts as known once it gets a token.
    if (client.token_endpoint_auth_method !== 'none') requireWithinLimit(admission.prove(client.client_id));
    if (!client.grant_types.includes(grantType))
      throw new errors.UnauthorizedClient(grantType === TOKEN_EXCHANGE ? EXCHANGE_NOT_ALLOWED : GRANT_NOT_ALLOWED);

    const { parameters, issue } = grants[grantType] as OwnGrant;
    const params = paramsOf(form, parameters);
    const onExchange = (exchange: ExchangeParties) => {
      attempt.exchange = exchange;
    };
    const onUser = (userId: string) => {
      attempt.userId = userId;
    };
    const { response, audience } = await issue({ client, secretName, params, form, facts, onExchange, onUser });
    admission.prove(client.client_id);
    if (!attempt.exchange)
      audit.add(tenant.id, issuedEntry(attempt, { resource: audience, scope: response.scope }, clock()));
    return response;
  }

  /** Returns the error response (RFC 6749 §5.2) and records the refusal. */
  #refusal(attempt: TokenAttempt, error: unknown): TokenReply {
    const { tenant, audit, clock } = this.#options;
    if (!(error instanceof errors.OIDCProviderError) || !error.expose) return this.#failure(attempt, error);
    // A request with a valid subject or refresh token is not anonymous, even from a public client.
    const isKnown = attempt.admission.isProven || attempt.exchange || attempt.userId !== undefined;
    audit[isKnown ? 'add' : 'addAnonymous'](tenant.id, refusedEntry(attempt, error, clock(), attempt.exchange));
    const { statusCode: status, message, error_description: description = message } = error;
    const { headers = {} } = error as { headers?: Record<string, string> };
    if (status === 401 && attempt.authorization !== undefined)
      headers['WWW-Authenticate'] =
        `Basic realm=${quoted(tenant.issuer)}, error=${quoted(message)}, error_description=${quoted(description)}`;
    return { status, headers, body: describedError(message, description) };
  }

  /** Logs a failure of the service and returns its response: 503 if the database is unavailable, otherwise 500. */
  #failure({ facts: { requestId } }: TokenAttempt, err: unknown): TokenReply {
    const { tenant, logger } = this.#options;
    const facts = { err, requestId, path: '/token', tenantId: tenant.id };
    const fault = unavailable(err);
    if (fault) {
      logger.warn(facts, 'Token request failed: the database is unavailable');
      const { status, headers, message } = fault;
      return { status, headers, body: describedError('temporarily_unavailable', message) };
    }
    logger.error(facts, 'Token request failed');
    return { status: 500, body: describedError('server_error', 'internal error') };
  }
}
