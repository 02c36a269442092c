import { parse } from 'node:querystring';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { errors } from 'oidc-provider';
import { contextOf } from '../http/context.ts';
import { rateLimitHeaders, type SharedLimit } from '../http/rate-limits/rate-limits.ts';
import type { Admission, PresentedSecret, SharedLimits } from '../http/rate-limits/shared-limits.ts';
import type { Tenant } from '../tenants.ts';
import { presentedClient, presentedSecret } from '../tokens/endpoint/client-authentication.ts';
import { refuse, tooManyRequests } from '../tokens/endpoint/error-body.ts';
import { JWKS_MAX_AGE_SECONDS } from '../tokens/keys/signing-keys.ts';
import { keepStructuredToken, takeStructuredToken } from '../tokens/revocation/structured-tokens.ts';
import { oversizeOf } from './authorization-parameters.ts';
import { forceCanonicalHost, restoreBody } from './library-request.ts';
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
const containsNul = (text: string): boolean => text.includes('%00') || text.includes('\u0000');

const nulRefused = () => new errors.InvalidRequest('a parameter contains U+0000');

/** Returns the body; undefined above the limit. Rejected: `for await`, which costs twice as much for one chunk. */
function readBody(request: Request): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return resolve(undefined);
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) resolve(undefined);
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString()));
    request.once('error', reject);
  });
}

/** True if the body has a content encoding (RFC 9110 §8.4). The service decodes none; `identity` means none. */
const isEncoded = ({ headers: { 'content-encoding': encoding = 'identity' } }: Request): boolean =>
  encoding.trim().toLowerCase() !== 'identity';

/** Returns the body of a posted form, or the error with which it is refused. */
async function readForm(request: Request): Promise<string | errors.InvalidRequest> {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';');
  // A userinfo request with the token in the Authorization header may be a POST without a body.
  const isBare = request.path === '/me' && mediaType === '';
  if (!isBare && mediaType.trim().toLowerCase() !== FORM) return new errors.InvalidRequest(`the body must be ${FORM}`);
  if (isEncoded(request)) return new errors.InvalidRequest('the body must be sent without a content encoding', 415);
  const body = await readBody(request);
  if (body === undefined) return new errors.InvalidRequest(`the body is larger than ${MAX_BODY_BYTES} bytes`, 413);
  return containsNul(body) ? nulRefused() : body;
}

/**
 * Rate limit by path for requests without an authenticated client, counted by address. The paths that check secrets,
 * also the token endpoint, share one limit, so wrong secrets count together wherever they are tried.
 */
const LIMITS: ReadonlyMap<string, SharedLimit> = new Map([
  ['/token/introspection', 'token'],
  ['/token/revocation', 'token'],
  ['/auth', 'authorization'],
  ['/request', 'authorization'],
  ['/session/end', 'authorization'],
]);

/** Paths of oidc-provider where a client authenticates, so the form is read before the rate limit check. */
const AUTHENTICATED: ReadonlySet<string> = new Set([...STRUCTURED, '/request']);

/** Paths where an anonymous caller can send parameters that the service stores. */
const KEEPS_PARAMETERS: ReadonlySet<string> = new Set(['/auth', '/request', '/session/end']);

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
  rateLimits: SharedLimits;
  /** Handles `GET /oidc/revoked-tokens`, which oidc-provider does not have. */
  revokedTokens: RequestHandler;
  /** Sends the page for a browser that is over the rate limit. */
  sendBusyPage(request: Request, response: Response, status: 429): void;
}

/** Handles `/oidc/*`: first our limits, then our token endpoint, then oidc-provider, which is never mounted alone. */
export function oidcEndpoint(parts: OidcEndpointParts): RequestHandler {
  const { providers, rateLimits, revokedTokens, sendBusyPage } = parts;

  /** Returns undefined when the response was sent because the address is over its limit. */
  async function admit(
    request: Request,
    response: Response,
    name: SharedLimit,
    presentedSecret?: PresentedSecret,
  ): Promise<Admission | undefined> {
    const { tenant, ip } = contextOf(request);
    const admission = await rateLimits.admit(tenant.id, name, ip, { presentedSecret });
    const { verdict } = admission;
    if (verdict.isAllowed) return admission;
    if (request.headers.accept?.includes('text/html'))
      sendBusyPage(request, response.set(rateLimitHeaders(verdict)), 429);
    else refuse(response, tooManyRequests(verdict));
    return undefined;
  }

  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const { path } = request;
    response.set('X-Content-Type-Options', 'nosniff');
    if (path === '/revoked-tokens' && request.method === 'GET') return void revokedTokens(request, response, next);
    if (!PATHS.test(path)) return next();
    const { tenant } = contextOf(request);
    if (containsNul(request.url)) return refuse(response, nulRefused());
    const limit = LIMITS.get(path);
    const isAuthenticated = request.method === 'POST' && AUTHENTICATED.has(path);
    if (limit && !isAuthenticated && request.method !== 'OPTIONS' && !(await admit(request, response, limit))) return;
    const oversize = KEEPS_PARAMETERS.has(path) ? oversizeOf(queryOf(request)) : undefined;
    if (oversize) return refuse(response, oversize);

    const form = request.method === 'POST' ? await readForm(request) : undefined;
    if (form instanceof Error) return refuse(response, form);
    if (form !== undefined && KEEPS_PARAMETERS.has(path)) {
      // Measured as the URL it becomes: a character that needs no escape in a form may take three characters in a URL.
      const text = NAVIGATED.has(path) ? String(new URLSearchParams(form)) : form;
      const oversize = oversizeOf(text);
      if (oversize) return refuse(response, oversize);
      if (NAVIGATED.has(path)) return redirectToGet(response, tenant, path, text);
    }

    const { answerTokenRequest, clients, handler } = await providers.of(tenant);
    if (form !== undefined) {
      if (path === '/token') return answerTokenRequest(request, response, form);
      if (limit && isAuthenticated) {
        const secret = presentedSecret(clients, presentedClient(request.headers.authorization, parse(form)));
        const admission = await admit(request, response, limit, secret);
        if (!admission) return;
        // oidc-provider repeats this check. If it fails, its own error is the response.
        if (secret && (await secret.isCorrect().catch(() => false))) admission.prove(secret.clientId);
        request.headers.accept = 'application/json'; // For programs: even one that accepts HTML gets no page.
      }
      const { body, token } = STRUCTURED.has(path) ? takeStructuredToken(form) : { body: form };
      if (token !== undefined) keepStructuredToken(request, token);
      restoreBody(request, body);
    }

    forceCanonicalHost(request, tenant);
    if (path === '/jwks') response.set('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`);
    await handler(request, response);
  };
}
