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
import type { Exchange } from '../exchange/exchange.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import { requireWithinLimit } from './admission.ts';
import { type Asked, issuedEntry, refusedEntry } from './audit.ts';
import { authenticate, presentedClient } from './client-authentication.ts';
import { describedError, GRANT_NOT_ALLOWED } from './error-body.ts';
import type { ObserveToken } from './metrics.ts';
import { type Grant, paramsOf, type TokenResponse } from './token-request.ts';

export interface TokenEndpointOptions {
  tenant: Tenant;
  clients: Clients;
  /** By `grant_type`. */
  grants: Readonly<Record<string, Grant>>;
  audit: TokenAudit;
  observe?: ObserveToken | undefined;
  clock: Clock;
  logger: Logger;
}

/** One request on its way: what is known of it, for its answer and its record. */
interface Attempt extends Asked {
  grantType: string;
  form: ParsedUrlQuery;
  origin: string | undefined;
  /** Whose scripts a browser lets read the answer. */
  readableFrom: string | undefined;
  authorization: string | undefined;
  admission: Admission;
  exchange?: Exchange;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: object;
}

const EXCHANGE_NOT_ALLOWED =
  'this application may not use token exchange: customClientMetadata.allowTokenExchange is not true';

const quoted = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;

/**
 * `POST /oidc/token` for the grants that need no browser. They are most of what a busy service is asked for, and what
 * the library does around a grant (its own router and context for each request, a model object for each token) costs
 * more than the grant. Errors are the library's, and so are the other grants, all pages and everything else.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5 RFC 6749 §5}
 */
export class TokenEndpoint {
  readonly #options: TokenEndpointOptions;

  constructor(options: TokenEndpointOptions) {
    this.#options = options;
  }

  /** False: the grant is the library's, or nobody's. */
  answers({ grant_type: type }: ParsedUrlQuery): boolean {
    return typeof type === 'string' && Object.hasOwn(this.#options.grants, type);
  }

  /** Is this a live secret of the client? Undefined: there is no such client with a secret. */
  async isSecretOf(clientId: string, secret: string): Promise<boolean | undefined> {
    const { clients, clock } = this.#options;
    const client = await clients.find(clientId);
    if (!client || client.token_endpoint_auth_method === 'none') return undefined;
    return (await clients.nameOfSecret(clientId, secret, clock())) !== undefined;
  }

  /** @param form one that it answers */
  async answer(
    { headers: { authorization, origin } }: IncomingMessage,
    response: ServerResponse,
    form: ParsedUrlQuery,
    facts: RequestFacts,
    admission: Admission,
  ): Promise<void> {
    const startedAt = performance.now();
    const grantType = form.grant_type as string;
    const attempt: Attempt = {
      grantType,
      form,
      origin,
      readableFrom: origin ?? '*',
      authorization,
      admission,
      clientId: undefined,
      facts,
    };
    const { status, headers, body } = await this.#issue(attempt).then(
      (body): Answer => ({ status: 200, body }),
      (error): Answer => this.#refusal(attempt, error),
    );
    this.#options.observe?.(grantType, (body as { error?: string }).error, startedAt);
    const text = JSON.stringify(status >= 500 ? { ...body, requestId: facts.requestId } : body);
    response.writeHead(status, {
      ...(attempt.readableFrom && { 'Access-Control-Allow-Origin': attempt.readableFrom }),
      'Access-Control-Expose-Headers': 'WWW-Authenticate',
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      Vary: 'Origin',
      ...headers,
    });
    response.end(text);
  }

  async #issue(attempt: Attempt): Promise<TokenResponse> {
    const { tenant, clients, grants, audit, clock } = this.#options;
    const { grantType, form, origin, authorization, admission, facts } = attempt;
    const presented = presentedClient(authorization, form);
    const found = await clients.find(presented.clientId);
    attempt.clientId = found?.client_id;
    if (found && origin !== undefined && !isOwnOrigin(origin, found)) {
      attempt.readableFrom = undefined;
      throw new errors.InvalidRequest(`origin ${origin} not allowed for client: ${found.client_id}`);
    }
    const { client, secretName } = await authenticate(clients, found, presented, clock());
    attempt.secretName = secretName;
    // A public client has shown nothing yet: what it holds is proven by the token it gets.
    if (client.token_endpoint_auth_method !== 'none') requireWithinLimit(admission.prove(client.client_id));
    if (!client.grant_types.includes(grantType))
      throw new errors.UnauthorizedClient(grantType === TOKEN_EXCHANGE ? EXCHANGE_NOT_ALLOWED : GRANT_NOT_ALLOWED);

    const { parameters, issue } = grants[grantType] as Grant;
    const params = paramsOf(form, parameters);
    const onExchange = (exchange: Exchange) => {
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

  /** RFC 6749 §5.2, and what is recorded of it. */
  #refusal(attempt: Attempt, error: unknown): Answer {
    const { tenant, audit, clock } = this.#options;
    if (!(error instanceof errors.OIDCProviderError) || !error.expose) return this.#failure(attempt, error);
    // A holder of a subject token or a refresh token is no stranger, even with a client that has no secret.
    const isKnown = attempt.admission.isProven || attempt.exchange || attempt.userId !== undefined;
    audit[isKnown ? 'add' : 'addStranger'](tenant.id, refusedEntry(attempt, error, clock(), attempt.exchange));
    const { statusCode: status, message, error_description: description = message } = error;
    const { headers = {} } = error as { headers?: Record<string, string> };
    if (status === 401 && attempt.authorization !== undefined)
      headers['WWW-Authenticate'] =
        `Basic realm=${quoted(tenant.issuer)}, error=${quoted(message)}, error_description=${quoted(description)}`;
    return { status, headers, body: describedError(message, description) };
  }

  /** Not the client's fault. */
  #failure({ facts: { requestId } }: Attempt, err: unknown): Answer {
    const { tenant, logger } = this.#options;
    const facts = { err, requestId, path: '/token', tenantId: tenant.id };
    const fault = unavailable(err);
    if (fault) {
      logger.warn(facts, 'token service could not answer');
      const { status, headers, message } = fault;
      return { status, headers, body: describedError('temporarily_unavailable', message) };
    }
    logger.error(facts, 'token service failed');
    return { status: 500, body: describedError('server_error', 'the service failed') };
  }
}
