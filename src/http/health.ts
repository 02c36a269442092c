import { Router } from 'express';

export interface HealthChecks {
  /** Rejects when the database does not answer. */
  database(): Promise<unknown>;
  /** False once the process was told to stop: a balancer sends its requests elsewhere. */
  isServing(): boolean;
  /** For people: `/readyz?verbose`. */
  details(): Record<string, unknown>;
}

/** `/healthz`: the process runs. `/readyz`: it can answer. Neither names a tenant. */
export function healthRoutes({ database, isServing, details }: HealthChecks): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (request, response) => {
    const isReachable = await database().then(
      () => true,
      () => false,
    );
    const isReady = isReachable && isServing();
    const verbose =
      request.query.verbose === undefined ? {} : { database: isReachable ? 'ok' : 'unreachable', ...details() };
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not ready', ...verbose });
  });
  return router;
}
