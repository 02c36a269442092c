import { randomUUID } from 'node:crypto';
import express, { type Express, type RequestHandler, type Router } from 'express';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Tracing } from '../../observe/tracing.ts';
import { DEFAULT_TENANT, type Tenants } from '../../tenants.ts';
import { type ApiParts, apiRouter, notFound } from '../api.ts';
import { contextOf, factsOf, setContext } from '../context.ts';
import { refuseControlInUrl } from '../control-characters.ts';
import { errorResponse } from '../error-response.ts';
import { requireOneHost } from './request-target.ts';
import { type PeerTrust, traceRequests } from './tracing.ts';

const IS_REQUEST_ID = /^[\w.-]{8,64}$/;
const MAX_HEADERS = 100;
/** RFC 6797: one year. Without subdomains, because they may belong to someone else. */
const HSTS = 'max-age=31536000';

export interface AppParts {
  tenants: Tenants;
  logger: Logger;
  tracing: Tracing | undefined;
  trustProxy: boolean | number | string;
  /** `/healthz` and `/readyz`, which belong to no tenant. */
  health: Router;
  /** Refuses requests under overload, before any work is done for them. */
  shedLoad: RequestHandler;
  /** Everything below `/oidc`. */
  oidc: RequestHandler;
  /** Rewrites metadata paths of RFC 8414. Runs before the tenant is resolved, because it moves the tenant's path. */
  metadataPath: RequestHandler;
  /** `/api` */
  management: ApiParts;
  /** `/admin/api` */
  admin: ApiParts;
  /** `/console`: the administrators' pages. */
  console: Router;
  /** The sign-in pages, and the API behind them. */
  signIn: Router;
}

/**
 * Gives every request an id. A well-formed `X-Request-Id` is kept if a trusted proxy sent it. Other clients could make
 * two requests look like one.
 */
function requestId(isProxy: PeerTrust, logger: Logger): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const isOurs = typeof given === 'string' && IS_REQUEST_ID.test(given) && isProxy(request.socket.remoteAddress);
    const id = isOurs ? given : randomUUID();
    request.headers['x-request-id'] = id;
    response.setHeader('X-Request-Id', id);
    if (logger.isLevelEnabled('debug')) {
      const startedAt = performance.now();
      response.once('finish', () => {
        const durationMs = Math.round(performance.now() - startedAt);
        logger.debug(
          {
            requestId: id,
            method: request.method,
            path: request.originalUrl.split('?')[0],
            status: response.statusCode,
            durationMs,
          },
          'Request answered',
        );
      });
    }
    next();
  };
}

/** Forbids browsers to guess the content type. */
const noSniff: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

/**
 * Sets the tenant of the request and removes its path prefix from the URL. `originalUrl` becomes the URL below the
 * canonical endpoint, even if the request used another endpoint, because links are built from it.
 */
function resolveTenant(tenants: Tenants): RequestHandler {
  return async (request, response, next) => {
    const resolved = await tenants.resolve(request.headers.host ?? '', request.path);
    if (!resolved) throw new ServiceError('request.unknown_host');
    const { tenant, prefix } = resolved;
    const { protocol, isLoopback } = tenant;
    // Never for localhost, where the browser would then refuse every other program that uses http.
    if (protocol === 'https' && !isLoopback) response.setHeader('Strict-Transport-Security', HSTS);
    setContext(request, { tenant, requestId: request.headers['x-request-id'] as string, ...factsOf(request) });
    if (tenant.isSuspended) throw new ServiceError('tenant.suspended');
    if (prefix) request.url = request.url.slice(prefix.length).replace(/^(?!\/)/, '/');
    request.originalUrl = tenant.path + request.url;
    next();
  };
}

/** Responds 404 except in the default tenant, which serves the operators. */
const onlyDefault: RequestHandler = (request, _response, next) =>
  contextOf(request).tenant.id === DEFAULT_TENANT ? next() : next(new ServiceError('request.not_found'));

/** Refuses requests with more headers than any legitimate client sends, because each header costs time. RFC 6585 §5. */
const limitHeaders: RequestHandler = ({ rawHeaders }, _response, next) =>
  next(rawHeaders.length > 2 * MAX_HEADERS ? new ServiceError('request.too_many_headers') : undefined);

/** Returns a function that is true for the address of a trusted proxy. */
export const peerTrust =
  (app: Express): PeerTrust =>
  (address) =>
    address !== undefined && app.get('trust proxy fn')(address, 0);

/** Creates the Express app: middleware in order, routers, error response. */
export function createApp({ tenants, logger, tracing, trustProxy, ...parts }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by').set('trust proxy', trustProxy).set('query parser', 'simple').set('etag', false);
  app.enable('case sensitive routing');

  app.use(requestId(peerTrust(app), logger));
  app.use(noSniff);
  app.use(limitHeaders);
  app.use(requireOneHost);
  app.use(parts.health);
  if (tracing) app.use(traceRequests(tracing, peerTrust(app)));
  app.use(parts.shedLoad);
  app.use(parts.metadataPath);
  app.use(resolveTenant(tenants));
  app.use('/oidc', parts.oidc);
  app.use('/api', apiRouter(parts.management));
  app.use('/admin/api', onlyDefault, apiRouter(parts.admin));
  app.use(refuseControlInUrl);
  app.use('/console', onlyDefault, parts.console);
  app.use(parts.signIn);
  app.use(notFound);
  app.use(errorResponse(logger));
  return app;
}
