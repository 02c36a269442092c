import type { ParsedUrlQuery } from 'node:querystring';
import { errors } from 'oidc-provider';
import type { Clients } from '../clients/clients.ts';
import type { OAuthClient } from '../clients/oauth-client.ts';
import { paramOf } from './token-request.ts';

/** The client credentials of a request, not yet verified. */
export interface PresentedClient {
  clientId: string;
  secret: string | undefined;
}

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

/** @throws `invalid_request` for missing or malformed credentials, or for two authentication methods (RFC 6749 §2.3) */
export function presentedClient(authorization: string | undefined, form: ParsedUrlQuery): PresentedClient {
  const [clientId, secret] = [paramOf(form, 'client_id'), paramOf(form, 'client_secret')];
  if (!authorization) {
    if (clientId === undefined) throw new errors.InvalidRequest('no client authentication mechanism provided');
    return { clientId, secret };
  }
  if (secret !== undefined)
    throw new errors.InvalidRequest('client authentication must only be provided using one mechanism');
  const basic = fromHeader(authorization);
  if (clientId !== undefined && clientId !== basic.clientId) throw new errors.InvalidRequest('client_id mismatch');
  return basic;
}

/** Like `presentedClient`, but returns undefined where that throws. */
export function claimedClient(authorization: string | undefined, form: ParsedUrlQuery): PresentedClient | undefined {
  try {
    return presentedClient(authorization, form);
  } catch {
    return undefined;
  }
}

/**
 * Authenticates a client (RFC 6749 §2.3): a confidential one by a live secret, a public one without any secret.
 *
 * @returns the authenticated client and the name of the secret that it used
 * @throws `invalid_client` with the same body for every cause
 */
export async function authenticate(
  clients: Clients,
  client: OAuthClient | undefined,
  { clientId, secret }: PresentedClient,
  now: number,
): Promise<{ client: OAuthClient; secretName: string | undefined }> {
  if (!client) throw new errors.InvalidClientAuth('client not found');
  const isPublic = client.token_endpoint_auth_method === 'none';
  if (isPublic !== (secret === undefined))
    throw new errors.InvalidClientAuth(isPublic ? 'a public client has no secret' : 'no secret provided');
  const secretName = secret === undefined ? undefined : await clients.nameOfSecret(clientId, secret, now);
  if (secret !== undefined && secretName === undefined) throw new errors.InvalidClientAuth('invalid secret provided');
  return { client, secretName };
}
