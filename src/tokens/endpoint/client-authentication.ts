import type { ParsedUrlQuery } from 'node:querystring';
import { errors } from 'oidc-provider';
import { contextOf } from '../../http/context.ts';
import type { PresentedSecret } from '../../http/rate-limits/shared-limits.ts';
import { type Clients, isOwnOrigin } from '../clients/clients.ts';
import { type AuthenticatedAttempt, type PresentedClient, paramOf, type TokenAttempt } from './token-request.ts';

/** Characters of client ids and client secrets (RFC 6749 Appendix A.1 and A.2). */
const PRINTABLE = /^[\x20-\x7E]*$/;
/** The Authorization header of the Basic scheme (RFC 7617 §2). */
const BASIC = /^basic ([A-Za-z0-9+/]+={0,2})$/i;

const malformed = () => new errors.InvalidRequest('invalid authorization header value format');

/** RFC 6749 §2.3.1: both parts are form-encoded before they go into the header. */
function decoded(part: string): string {
  const text = decodeURIComponent(part.replaceAll('+', '%20'));
  if (!PRINTABLE.test(text)) throw malformed();
  return text;
}

function fromHeader(authorization: string): Required<PresentedClient> {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined) throw malformed();
  let parts: [string, string];
  try {
    const text = Buffer.from(Uint8Array.fromBase64(encoded)).toString();
    const colon = text.indexOf(':');
    parts = [decoded(text.slice(0, Math.max(colon, 0))), decoded(text.slice(colon + 1))];
  } catch {
    throw malformed(); // Not base64, or not form-encoded within.
  }
  const [clientId, secret] = parts;
  if (clientId === '') throw malformed();
  if (secret === '') throw new errors.InvalidRequest('client_secret must be provided in the Authorization header');
  return { clientId, secret };
}

/** Returns `invalid_request` for missing or malformed credentials, or for two authentication methods (RFC 6749 §2.3). */
export function presentedClient(
  authorization: string | undefined,
  form: ParsedUrlQuery,
): PresentedClient | errors.OIDCProviderError {
  try {
    const [clientId, secret] = [paramOf(form, 'client_id'), paramOf(form, 'client_secret')];
    if (!authorization)
      return clientId === undefined
        ? new errors.InvalidRequest('no client authentication mechanism provided')
        : { clientId, secret };
    if (secret !== undefined)
      return new errors.InvalidRequest('client authentication must only be provided using one mechanism');
    const basic = fromHeader(authorization);
    const isMismatch = clientId !== undefined && clientId !== basic.clientId;
    return isMismatch ? new errors.InvalidRequest('client_id mismatch') : basic;
  } catch (error) {
    if (error instanceof errors.OIDCProviderError) return error;
    throw error;
  }
}

/** The secret of a request for the rate limit, which compares it only if the address has exceeded its limit. */
export function presentedSecret(
  clients: Clients,
  presented: ReturnType<typeof presentedClient>,
): PresentedSecret | undefined {
  if (presented instanceof Error || presented.secret === undefined) return undefined;
  const { clientId, secret } = presented;
  return { clientId, isCorrect: () => clients.isSecretOf(clientId, secret) };
}

/** True for the service's own pages, such as the API reference. CORS concerns other origins. */
const isOfService = (request: TokenAttempt['request'], origin: string): boolean =>
  URL.parse(contextOf(request).tenant.endpoint)?.origin === origin;

/** Finds the client that a request names, if it exists. A client restricts the origins that may read the response. */
export async function findClient({ clients }: { clients: Clients }, attempt: TokenAttempt): Promise<TokenAttempt> {
  const { presented, request } = attempt;
  const client = presented instanceof Error ? undefined : await clients.find(presented.clientId);
  const { origin } = request.headers;
  const isForeign =
    client !== undefined && origin !== undefined && !isOwnOrigin(origin, client) && !isOfService(request, origin);
  return { ...attempt, client, ...(isForeign && { allowedOrigin: undefined }) };
}

/**
 * Authenticates the client (RFC 6749 §2.3): a confidential one by a live secret, a public one without any secret.
 *
 * @throws `invalid_request`, or `invalid_client` with the same body for every cause
 */
export async function authenticate(
  { clients }: { clients: Clients },
  attempt: TokenAttempt,
): Promise<AuthenticatedAttempt> {
  const { presented, client, allowedOrigin, request } = attempt;
  if (presented instanceof Error) throw presented;
  if (!client) throw new errors.InvalidClientAuth('client not found');
  if (allowedOrigin === undefined)
    throw new errors.InvalidRequest(`origin ${request.headers.origin} not allowed for client: ${client.client_id}`);
  const { clientId, secret } = presented;
  const isPublic = client.token_endpoint_auth_method === 'none';
  if (isPublic !== (secret === undefined))
    throw new errors.InvalidClientAuth(isPublic ? 'a public client has no secret' : 'no secret provided');
  const secretName = secret === undefined ? undefined : await clients.nameOfSecret(clientId, secret);
  if (secret !== undefined && secretName === undefined) throw new errors.InvalidClientAuth('invalid secret provided');
  return { ...attempt, client, secretName };
}
