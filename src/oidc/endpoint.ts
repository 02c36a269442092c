import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { clientFactsOf, contextOf, requestFactsOf } from '../http/context.ts';
import {
  type Admission,
  type PresentedSecret,
  type RateLimitName,
  type RateLimits,
  rateLimitHeaders,
} from '../http/rate-limits/rate-limits.ts';
import type { Tenant } from '../tenants.ts';
import { keepAdmission } from '../tokens/endpoint/admission.ts';
import { claimedClient, type PresentedClient } from '../tokens/endpoint/client-authentication.ts';
import { describedError } from '../tokens/endpoint/error-body.ts';
import { JWKS_MAX_AGE_SECONDS } from '../tokens/keys/signing-keys.ts';
import { keepStructuredToken, takeStructuredToken } from '../tokens/revocation/structured-tokens.ts';
import { oversizeOf } from './authorization-parameters.ts';
import type { Providers } from './providers.ts';

/** Limit of a form. oidc-provider has the same limit but responds 400, not 413. */
const MAX_BODY_BYTES = 56 * 1024;

const FORM = 'application/x-www-form-urlencoded';

/**
 * The paths below `/oidc`, exactly. oidc-provider also matches other letter case and a trailing slash, which would
 * bypass the checks that this file makes by path.
 */
const PATHS =
  /^\/(?:auth(?:\/[\w-]+)?|token(?:\/(?:introspection|revocation))?|me|jwks|request|session\/end(?:\/(?:confirm|success))?|\.well-known\/(?:openid-configuration|oauth-authorization-server))$/;

/** Paths where a client may send one of our JWTs. */
const STRUCTURED: ReadonlySet<string> = new Set(['/token/introspection', '/token/revocation']);

/** Paths that a browser may visit by GET or POST (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). */
const NAVIGATED: ReadonlySet<string> = new Set(['/auth', '/session/end']);

/** U+0000 cannot be stored on PostgreSQL and means nothing in any parameter. */
const containsNul = (text: string | Buffer): boolean => text.includes('%00') || text.includes('\u0000');

function refuse(response: Response, status: number, error: string, description: string): void {
  response.set('Cache-Control', 'no-store').status(status);
  response.json(describedError(error, description));
}

/** Returns the body; undefined above the limit. Rejected: `for await`, which costs twice as much for one chunk. */
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

/** Makes the body readable again for oidc-provider. Rejected: a new request, which costs more than this whole file. */
function restoreBody(request: Request, body: Buffer): void {
  request.headers['content-length'] = String(body.length);
  Object.defineProperty(request, 'readable', { value: true });
  Object.defineProperty(request, 'iterator', {
    value: async function* () {
      yield body;
    },
  });
}

/**
 * Replaces Host and the forwarded headers, from which oidc-provider builds its URLs, with the tenant's own. Otherwise a
 * client could make discovery return a `jwks_uri` on another host.
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

/**
 * Rate limit by path for requests without an authenticated client, counted by address. The paths that check secrets
 * share one limit, so wrong secrets count together wherever they are tried.
 */
const LIMITS: ReadonlyMap<string, RateLimitName> = new Map([
  ['/token', 'token'],
  ['/token/introspection', 'token'],
  ['/token/revocation', 'token'],
  ['/auth', 'authorization'],
  ['/request', 'authorization'],
  ['/session/end', 'authorization'],
]);

/** Paths where a client authenticates by header or form, so the form is read before the rate limit check. */
const AUTHENTICATED: ReadonlySet<string> = new Set([...STRUCTURED, '/token', '/request']);

/** Paths where an anonymous caller can send parameters that the service stores. */
const KEEPS_PARAMETERS: ReadonlySet<string> = new Set(['/auth', '/request', '/session/end']);

/** True if the body has a content encoding (RFC 9110 §8.4). The service decodes none; `identity` means none. */
const isEncoded = ({ headers: { 'content-encoding': encoding = 'identity' } }: Request): boolean =>
  encoding.trim().toLowerCase() !== 'identity';

const queryOf = ({ url }: Request): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Redirects a posted authorization or sign-out request to GET. The session cookie is `SameSite=Lax`: a browser omits it
 * from a POST by another site, but sends it with the GET that follows. Rejected: oidc-provider's POST routes, which need
 * `SameSite=None`, so that any site could make a browser send requests with the session.
 */
function redirectToGet(response: Response, { endpoint }: Tenant, path: string, query: string): void {
  response.set('Cache-Control', 'no-store').redirect(303, `${endpoint}/oidc${path}?${query}`);
}

export interface OidcEndpointParts {
  providers: Providers;
  rateLimits: RateLimits;
  /** Handles `GET /oidc/revoked-tokens`, which oidc-provider does not have. */
  revokedTokens: RequestHandler;
  /** Sends the page for a browser that is over the rate limit. */
  sendBusyPage(request: Request, response: Response, status: 429): void;
}

/** Handles `/oidc/*`: first our limits, then our grants, then oidc-provider, which is never mounted without them. */
export function oidcEndpoint({
  providers,
  rateLimits,
  revokedTokens,
  sendBusyPage,
}: OidcEndpointParts): RequestHandler {
  /**
   * Checks the rate limit.
   *
   * @param form on paths where clients authenticate
   * @returns undefined when the response was sent because the address, or the named client, is over its limit
   */
  async function admit(
    request: Request,
    response: Response,
    name: RateLimitName,
    form?: ParsedUrlQuery,
  ): Promise<Admission | undefined> {
    const { tenant, ip } = contextOf(request);
    const client = form && claimedClient(request.headers.authorization, form);
    const admission = await rateLimits.admit(tenant.id, name, ip, {
      namedClientId: request.path === '/token' ? (client?.clientId ?? '') : undefined,
      presentedSecret: client && presentedSecretOf(tenant, client),
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

  const presentedSecretOf = (tenant: Tenant, { clientId, secret }: PresentedClient): PresentedSecret | undefined =>
    secret === undefined
      ? undefined
      : { clientId, isCorrect: async () => (await providers.of(tenant)).tokens.isSecretOf(clientId, secret) };

  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const { path } = request;
    response.set('X-Content-Type-Options', 'nosniff');
    if (path === '/revoked-tokens' && request.method === 'GET') return void revokedTokens(request, response, next);
    if (!PATHS.test(path)) return next();
    const { tenant } = contextOf(request);
    if (containsNul(request.url)) return refuse(response, 400, 'invalid_request', 'a parameter contains U+0000');
    const limit = LIMITS.get(path);
    const isAuthenticated = request.method === 'POST' && AUTHENTICATED.has(path);
    const isCounted = !isAuthenticated && path !== '/token' && request.method !== 'OPTIONS';
    if (limit && isCounted && !(await admit(request, response, limit))) return;
    const oversize = KEEPS_PARAMETERS.has(path) ? oversizeOf(queryOf(request)) : undefined;
    if (oversize !== undefined) return refuse(response, 400, 'invalid_request', oversize);

    if (request.method === 'POST') {
      const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
      // A userinfo request with the token in the Authorization header may be a POST without a body.
      const isBare = request.path === '/me' && mediaType === '';
      if (!isBare && mediaType.trim().toLowerCase() !== FORM)
        return refuse(response, 400, 'invalid_request', `the body must be ${FORM}`);
      if (isEncoded(request))
        return refuse(response, 415, 'invalid_request', 'the body must be sent without a content encoding');
      const body = await readBody(request);
      if (!body) return refuse(response, 413, 'invalid_request', `the body is larger than ${MAX_BODY_BYTES} bytes`);
      if (containsNul(body)) return refuse(response, 400, 'invalid_request', 'a parameter contains U+0000');
      // Measured as the URL it becomes: a character that needs no escape in a form may take three characters in a URL.
      const text = NAVIGATED.has(path) ? String(new URLSearchParams(body.toString())) : body.toString();
      const oversize = KEEPS_PARAMETERS.has(path) ? oversizeOf(text) : undefined;
      if (oversize !== undefined) return refuse(response, 400, 'invalid_request', oversize);
      if (NAVIGATED.has(path)) return redirectToGet(response, tenant, path, text);
      if (limit && isAuthenticated) {
        const form = parse(body.toString());
        const admission = await admit(request, response, limit, form);
        if (!admission) return;
        const { tokens } = await providers.of(tenant);
        if (path === '/token' && tokens.answers(form))
          return tokens.answer(request, response, form, requestFactsOf(request), admission);
      }
      // These endpoints are for programs. An Accept header for HTML must not turn the error into a page.
      if (path.startsWith('/token') || path === '/request') request.headers.accept = 'application/json';
      const taken = STRUCTURED.has(path) ? takeStructuredToken(body) : { body };
      if (taken.token !== undefined) keepStructuredToken(request, taken.token);
      restoreBody(request, taken.body);
    }

    forceCanonicalHost(request, tenant);
    if (path === '/jwks') response.set('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
    const { handler } = await providers.of(tenant);
    await handler(request, response);
  };
}
