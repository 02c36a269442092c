import { parse as parseForm } from 'node:querystring';
import type { Request, Response } from 'express';
import { errors } from 'oidc-provider';
import { requestFactsOf } from '../../http/context.ts';
import type { Admission, SharedLimits } from '../../http/rate-limits/shared-limits.ts';
import type { Clients } from '../clients/clients.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import { authenticate, findClient, presentedClient, presentedSecret } from './client-authentication.ts';
import { refuse, tooManyRequests } from './error-body.ts';
import { answer, type Outcome, outcomeOf } from './outcome.ts';
import { type RecordParts, record } from './record.ts';
import { type AuthenticatedAttempt, type GrantType, paramOf, paramsOf, type TokenAttempt } from './token-request.ts';

interface TokenEndpointParts extends RecordParts {
  clients: Clients;
  /** By `grant_type`. */
  grants: ReadonlyMap<string, GrantType>;
  rateLimits: SharedLimits;
}

/**
 * `POST /oidc/token`, step by step. Every grant takes these steps, also the one that oidc-provider issues. A step that
 * refuses throws; `attempt` then has what the steps before it learned.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-5 RFC 6749 §5}
 */
export const tokenEndpoint =
  (parts: TokenEndpointParts) =>
  async (request: Request, response: Response, body: string): Promise<void> => {
    const received = parse(request, body);
    const admission = await limit(parts, received);
    if (!admission.verdict.isAllowed) return refuse(response, tooManyRequests(admission.verdict));

    let attempt: TokenAttempt = { ...received, admission };
    let outcome: Outcome;
    try {
      attempt = await findClient(parts, attempt);
      const authenticated = await authenticate(parts, attempt);
      attempt = authenticated;
      const grant = allow(parts, authenticated);
      outcome = await issue(grant, authenticated);
    } catch (error) {
      outcome = outcomeOf(error);
    }
    record(parts, attempt, outcome);
    answer(parts.tenant, attempt, outcome, response);
  };

function parse(request: Request, body: string): Omit<TokenAttempt, 'admission'> {
  const form = parseForm(body);
  return {
    request,
    form,
    presented: presentedClient(request.headers.authorization, form),
    facts: requestFactsOf(request),
    allowedOrigin: request.headers.origin ?? '*',
    startedAt: performance.now(),
  };
}

/** Counts the request for its address, until the client has authenticated. */
function limit(
  { tenant, rateLimits, clients }: TokenEndpointParts,
  { presented, facts }: Pick<TokenAttempt, 'presented' | 'facts'>,
): Promise<Admission> {
  return rateLimits.admit(tenant.id, 'token', facts.ip, {
    namedClientId: presented instanceof Error ? '' : presented.clientId,
    presentedSecret: presentedSecret(clients, presented),
  });
}

const EXCHANGE_NOT_ALLOWED =
  'this application may not use token exchange: customClientMetadata.allowTokenExchange is not true';
const GRANT_NOT_ALLOWED = 'requested grant type is not allowed for this client';

/** Returns the grant. @throws 429 if the client is over its rate limit, or if it may not use the grant */
function allow({ grants }: TokenEndpointParts, { form, client, admission }: AuthenticatedAttempt): GrantType {
  // A public client has only named itself. It counts as known once it gets a token.
  const verdict = client.token_endpoint_auth_method === 'none' ? undefined : admission.prove(client.client_id);
  if (verdict?.isAllowed === false) throw tooManyRequests(verdict);
  const type = paramOf(form, 'grant_type');
  if (type === undefined) throw new errors.InvalidRequest("missing required parameter 'grant_type'");
  const grant = grants.get(type);
  if (!grant) throw new errors.UnsupportedGrantType();
  if (!client.grant_types.includes(type))
    throw new errors.UnauthorizedClient(type === TOKEN_EXCHANGE ? EXCHANGE_NOT_ALLOWED : GRANT_NOT_ALLOWED);
  return grant;
}

async function issue(grant: GrantType, attempt: AuthenticatedAttempt): Promise<Outcome> {
  const { admission, client, form } = attempt;
  const issued = await grant.issue({ ...attempt, params: paramsOf(form, grant.parameters) });
  admission.prove(client.client_id);
  return { kind: 'issued', ...issued };
}
