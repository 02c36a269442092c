import express, { type RequestHandler, Router } from 'express';
import { ServiceError } from '../errors.ts';

const MAX_JSON_BYTES = 1024 * 1024;

/** What an API of rows is made of. */
export interface ApiParts {
  /** RFC 9728: what a client must know before it calls. */
  metadata: RequestHandler;
  /** Its public parts: the OpenAPI document and the page that shows it. */
  reference: Router;
  authenticate: RequestHandler;
  operations: Router;
}

/** 404 in the form of these APIs. */
export const notFound: RequestHandler = () => {
  throw new ServiceError('request.not_found');
};

/** The JSON under the sign-in pages has its own cookie and token instead of a bearer token. */
const isExperience = (path: string): boolean => path === '/experience' || path.startsWith('/experience/');

/** The Management API, or the operators': who is asked for, what is read, in which order. */
export function apiRouter({ metadata, reference, authenticate, operations }: ApiParts): Router {
  const router = Router({ caseSensitive: true });
  router.get('/.well-known/oauth-protected-resource', metadata);
  // For balancers that ask the compatible API whether it is there. `/readyz` knows more.
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
