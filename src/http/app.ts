import { randomUUID } from 'node:crypto';
import express, { type Express, type RequestHandler, type Router } from 'express';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';
import { DEFAULT_TENANT, type Tenants } from '../tenants.ts';
import { type ApiParts, apiRouter, notFound } from './api.ts';
import { contextOf, factsOf, setContext } from './context.ts';
import { errorResponse } from './error-response.ts';

export interface AppParts {
  tenants: Tenants;
  logger: Logger;
  trustProxy: boolean | number | string;
  /** Before any tenant: `/healthz`, `/readyz`. */
  health: Router;
  /** Everything below `/oidc`. */
  oidc: RequestHandler;
  /** RFC 9728, of the Management API. */
  resourceMetadata: RequestHandler;
  /** RFC 8414: before the tenant, as the path that names it is moved. */
  metadataPath: RequestHandler;
  /** `/api` */
  management: ApiParts;
  /** `/admin/api` */
  admin: ApiParts;
  /** Pages for people, and the API beneath them. */
  signIn: Router;
}

/** Gives every request an id, and takes a caller's own when it is harmless. */
function requestId(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID();
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
          'answered',
        );
      });
    }
    next();
  };
}

/**
 * Sets the tenant, and takes its path prefix off the URL. What is read as the original URL is the one below the
 * canonical endpoint, whichever way the request came: links are made from it.
 */
function resolveTenant(tenants: Tenants): RequestHandler {
  return async (request, _response, next) => {
    const resolved = await tenants.resolve(request.host ?? '', request.path);
    if (!resolved) throw new ServiceError('request.unknown_host');
    const { tenant, prefix } = resolved;
    setContext(request, { tenant, requestId: request.headers['x-request-id'] as string, ...factsOf(request) });
    if (tenant.isSuspended) throw new ServiceError('tenant.suspended');
    if (prefix) request.url = request.url.slice(prefix.length).replace(/^(?!\/)/, '/');
    request.originalUrl = tenant.path + request.url;
    next();
  };
}

/** Those who run the service are served by the default tenant; for others there is no such path. */
const onlyDefault: RequestHandler = (request, _response, next) =>
  contextOf(request).tenant.id === DEFAULT_TENANT ? next() : next(new ServiceError('request.not_found'));

/** The Express app: middleware in order, mounts, error answer. */
export function createApp({ tenants, logger, trustProxy, ...parts }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by').set('trust proxy', trustProxy).set('query parser', 'simple').set('etag', false);
  app.enable('case sensitive routing');

  app.use(requestId(logger));
  app.use(parts.health);
  app.use(parts.metadataPath);
  app.use(resolveTenant(tenants));
  app.use('/oidc', parts.oidc);
  app.get('/api/.well-known/oauth-protected-resource', parts.resourceMetadata);
  app.use('/api', apiRouter(parts.management));
  app.use('/admin/api', onlyDefault, apiRouter(parts.admin));
  app.use(parts.signIn);
  app.use(notFound);
  app.use(errorResponse(logger));
  return app;
}
