import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { clientFactsOf, contextOf, requestFactsOf } from '../http/context.ts';
import {
  type Admission,
  type Limited,
  type RateLimits,
  rateLimitHeaders,
  type ShownSecret,
} from '../http/rate-limits/rate-limits.ts';
import type { Tenant } from '../tenants.ts';
import { keepAdmission } from '../tokens/endpoint/admission.ts';
import { claimedClient, type PresentedClient } from '../tokens/endpoint/client-authentication.ts';
import { describedError } from '../tokens/endpoint/error-body.ts';
import { JWKS_MAX_AGE_SECONDS } from '../tokens/keys/signing-keys.ts';
import { keepStructuredToken, takeStructuredToken } from '../tokens/revocation/structured-tokens.ts';
import { oversizeOf } from './authorization-parameters.ts';
import type { Providers } from './providers.ts';

/** Of a form; the library's own limit is the same, but answers 400. */
const MAX_BODY_BYTES = 56 * 1024;

const FORM = 'application/x-www-form-urlencoded';

/**
 * What there is below `/oidc`. The library takes any case and a slash more, which would go past what is done here for a path.
 */
const PATHS =
  /^\/(?:auth(?:\/[\w-]+)?|token(?:\/(?:introspection|revocation))?|me|jwks|request|session\/end(?:\/(?:confirm|success))?|\.well-known\/(?:openid-configuration|oauth-authorization-server))$/;

/** Where a client may send one of our JWTs. */
const STRUCTURED: ReadonlySet<string> = new Set(['/token/introspection', '/token/revocation']);

/** Where a browser may be sent by GET or POST (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). */
const NAVIGATED: ReadonlySet<string> = new Set(['/auth', '/session/end']);

/** U+0000 cannot be stored on PostgreSQL and means nothing in any parameter. */
const holdsNul = (text: string | Buffer): boolean => text.includes('%00') || text.includes('\u0000');

function refuse(response: Response, status: number, error: string, description: string): void {
  response.set('Cache-Control', 'no-store').status(status);
  response.json(describedError(error, description));
}

/**
 * The whole body, or undefined when it is larger than allowed. By events: the loser, `for await`,
 * costs twice as much for a body that comes in one piece.
 */
function readBody(request: Request): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return resolve(undefined);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) resolve(undefined);
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

/**
 * Gives the request its body back, to be read once more: the library parses it by itself. A new
 * request object in its place (the loser) costs more than everything else here.
 */
function giveBack(request: Request, body: Buffer): void {
  request.headers['content-length'] = String(body.length);
  Object.defineProperty(request, 'readable', { value: true });
  Object.defineProperty(request, 'iterator', {
    value: async function* () {
      yield body;
    },
  });
}

/**
 * The library builds its URLs from Host and the forwarded headers. It is given the tenant's own, so
 * that no header of a client can point `jwks_uri` elsewhere.
 */
function forceCanonicalHost(request: Request, { host, protocol }: Tenant): void {
  const { headers } = request;
  headers.host = host;
  headers['x-forwarded-host'] = host;
  headers['x-forwarded-proto'] = protocol;
  headers['x-forwarded-for'] = clientFactsOf(request).ip ?? '';
  headers['x-request-id'] = contextOf(request).requestId;
  delete headers.forwarded;
}

/** Under which limit an address is counted for what it asks without a proven client. Wrong secrets count alike, wherever they are tried. */
const LIMITS: ReadonlyMap<string, Limited> = new Map([
  ['/token', 'token'],
  ['/token/introspection', 'token'],
  ['/token/revocation', 'token'],
  ['/auth', 'authorization'],
  ['/request', 'authorization'],
  ['/session/end', 'authorization'],
]);

/** Where a client shows its secret, in the header or in the form: so the form is read before the limit is asked. */
const AUTHENTICATED: ReadonlySet<string> = new Set([...STRUCTURED, '/token', '/request']);

/** Where anybody may send parameters that are then kept. */
const KEEPS_PARAMETERS: ReadonlySet<string> = new Set(['/auth', '/request', '/session/end']);

/** RFC 9110 §8.4: we decode nothing, and `identity` stands for nothing. */
const isEncoded = ({ headers: { 'content-encoding': encoding = 'identity' } }: Request): boolean =>
  encoding.trim().toLowerCase() !== 'identity';

const queryOf = ({ url }: Request): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * A posted navigation goes on as GET. The session cookie is `SameSite=Lax`: a browser leaves it out of a POST from
 * another site, and sends it with the GET that follows. Rejected: the library's own POST routes, which want
 * `SameSite=None`, and so would send the session along with whatever other sites make a browser ask.
 */
function redirectToGet(response: Response, { endpoint }: Tenant, path: string, query: string): void {
  response.set('Cache-Control', 'no-store').redirect(303, `${endpoint}/oidc${path}?${query}`);
}

export interface OidcEndpointParts {
  providers: Providers;
  rateLimits: RateLimits;
  /** `GET /oidc/revoked-tokens`, which is ours. */
  revokedTokens: RequestHandler;
  /** Answers a browser that is asked to wait. */
  sendBusyPage(request: Request, response: Response, status: 429): void;
}

/** `/oidc/*`: our own limits, then our own grants, then oidc-provider, which is never mounted bare. */
export function oidcEndpoint({
  providers,
  rateLimits,
  revokedTokens,
  sendBusyPage,
}: OidcEndpointParts): RequestHandler {
  /**
   * @param form of a path where clients show their secret
   * @returns undefined when the request was answered: its address, or the client it names, has asked too often
   */
  async function admit(
    request: Request,
    response: Response,
    what: Limited,
    form?: ParsedUrlQuery,
  ): Promise<Admission | undefined> {
    const { tenant, ip } = contextOf(request);
    const client = form && claimedClient(request.headers.authorization, form);
    const admission = await rateLimits.admit(tenant.id, what, ip, {
      claimed: request.path === '/token' ? (client?.clientId ?? '') : undefined,
      shown: client && shownSecret(tenant, client),
    });
    const { verdict } = admission;
    if (verdict.isAllowed) {
      keepAdmission(request, admission);
      return admission;
    }
    response.set(rateLimitHeaders(verdict));
    if (request.path !== '/token' && request.headers.accept?.includes('text/html'))
      sendBusyPage(request, response, 429);
    else refuse(response, 429, 'temporarily_unavailable', 'too many requests');
    return undefined;
  }

  const shownSecret = (tenant: Tenant, { clientId, secret }: PresentedClient): ShownSecret | undefined =>
    secret === undefined
      ? undefined
      : { clientId, isRight: async () => (await providers.tokensOf(tenant)).isSecretOf(clientId, secret) };

  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const { path } = request;
    response.set('X-Content-Type-Options', 'nosniff');
    if (path === '/revoked-tokens' && request.method === 'GET') return void revokedTokens(request, response, next);
    if (!PATHS.test(path)) return next();
    const { tenant } = contextOf(request);
    if (holdsNul(request.url)) return refuse(response, 400, 'invalid_request', 'a parameter holds U+0000');
    const limit = LIMITS.get(path);
    const isAuthenticated = request.method === 'POST' && AUTHENTICATED.has(path);
    const isCounted = !isAuthenticated && path !== '/token' && request.method !== 'OPTIONS';
    if (limit && isCounted && !(await admit(request, response, limit))) return;
    const oversize = KEEPS_PARAMETERS.has(path) ? oversizeOf(queryOf(request)) : undefined;
    if (oversize !== undefined) return refuse(response, 400, 'invalid_request', oversize);

    if (request.method === 'POST') {
      const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
      // A userinfo request is posted without a body where the header holds the token.
      const isBare = request.path === '/me' && mediaType === '';
      if (!isBare && mediaType.trim().toLowerCase() !== FORM)
        return refuse(response, 400, 'invalid_request', `the body must be ${FORM}`);
      if (isEncoded(request))
        return refuse(response, 415, 'invalid_request', 'the body must be sent without a content encoding');
      const body = await readBody(request);
      if (!body) return refuse(response, 413, 'invalid_request', `the body is larger than ${MAX_BODY_BYTES} bytes`);
      if (holdsNul(body)) return refuse(response, 400, 'invalid_request', 'a parameter holds U+0000');
      // Measured as it is sent on: what a browser leaves as it is in a form may be three times as long in a URL.
      const text = NAVIGATED.has(path) ? String(new URLSearchParams(body.toString())) : body.toString();
      const oversize = KEEPS_PARAMETERS.has(path) ? oversizeOf(text) : undefined;
      if (oversize !== undefined) return refuse(response, 400, 'invalid_request', oversize);
      if (NAVIGATED.has(path)) return redirectToGet(response, tenant, path, text);
      if (limit && isAuthenticated) {
        const form = parse(body.toString());
        const admission = await admit(request, response, limit, form);
        if (!admission) return;
        const tokens = await providers.tokensOf(tenant);
        if (path === '/token' && tokens.answers(form))
          return tokens.answer(request, response, form, requestFactsOf(request), admission);
      }
      // Programs ask here, whatever a browser says it accepts.
      if (path.startsWith('/token') || path === '/request') request.headers.accept = 'application/json';
      const taken = STRUCTURED.has(path) ? takeStructuredToken(body) : { body };
      if (taken.token !== undefined) keepStructuredToken(request, taken.token);
      giveBack(request, taken.body);
    }

    forceCanonicalHost(request, tenant);
    if (path === '/jwks') response.set('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
    const handle = await providers.handlerOf(tenant);
    await handle(request, response);
  };
}
