import express, { type RequestHandler, Router } from 'express';
import { ServiceError } from '../errors.ts';

const MAX_JSON_BYTES = 1024 * 1024;

/** The parts of an API that is built from operations. */
export interface ApiParts {
  /** Protected resource metadata (RFC 9728). */
  metadata: RequestHandler;
  /** The public parts: the OpenAPI document and the page that shows it. */
  reference: Router;
  authenticate: RequestHandler;
  operations: Router;
}

/** Responds 404 in the error format of the APIs. */
export const notFound: RequestHandler = () => {
  throw new ServiceError('request.not_found');
};

/** The JSON API of the sign-in pages uses a cookie and a CSRF token instead of a bearer token. */
const isExperience = (path: string): boolean => path === '/experience' || path.startsWith('/experience/');

/** Returns the router of the Management API or the Operator API. */
export function apiRouter({ metadata, reference, authenticate, operations }: ApiParts): Router {
  const router = Router({ caseSensitive: true });
  router.get('/.well-known/oauth-protected-resource', metadata);
  // For load balancers that check the compatible API. `/readyz` reports more.
  router.get('/status', (_request, response) => {
    response.status(204).end();
  });
  router.use(reference);
  router.use((request, response, next) =>
    isExperience(request.path) ? next('router') : authenticate(request, response, next),
  );
  router.use(express.json({ limit: MAX_JSON_BYTES, strict: false, type: 'application/json' }));
  router.use((_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  router.use(operations, notFound);
  return router;
}
