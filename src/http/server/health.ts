import { type Request, Router } from 'express';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from '../../config/index.ts';

export interface HealthChecks {
  /** Rejects if the database does not respond. */
  database(): Promise<unknown>;
  /** False while the process stops, so that a load balancer sends requests elsewhere. */
  isServing(): boolean;
  /** For operators: `/readyz?verbose`. */
  details(): Record<string, unknown>;
}

/** Returns the response of `/readyz`, which two ports serve. */
export type Readiness = (isVerbose: boolean) => Promise<{ status: 200 | 503; body: Record<string, unknown> }>;

export function readinessOf({ database, isServing, details }: HealthChecks): Readiness {
  return async (isVerbose) => {
    const isReachable = await database().then(
      () => true,
      () => false,
    );
    const isReady = isReachable && isServing();
    const verbose = isVerbose ? { database: isReachable ? 'ok' : 'unreachable', ...details() } : {};
    return { status: isReady ? 200 : 503, body: { status: isReady ? 'ready' : 'not ready', ...verbose } };
  };
}

/** Headers in which proxies name the client. Any of them shows that the request came through a proxy. */
const OF_PROXIES = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|true-client-ip|.+-connecting-ip)$/;

/**
 * True if a process on this machine sent the request directly. A request through a local proxy can come from anywhere.
 * It has a forwarding header, or the public name in `Host`.
 */
function isFromHere({ socket, headers }: Request): boolean {
  const { remoteAddress = '' } = socket;
  const isLoopback = ipaddr.isValid(remoteAddress) && ipaddr.process(remoteAddress).range() === 'loopback';
  const hostname = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  return isLoopback && isLoopbackHost(hostname) && !Object.keys(headers).some((name) => OF_PROXIES.test(name));
}

/**
 * Serves `/healthz` (the process runs) and `/readyz` (it can serve requests). Details are only shown to this machine.
 */
export function healthRoutes(readiness: Readiness): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (request, response) => {
    const { status, body } = await readiness(request.query.verbose !== undefined && isFromHere(request));
    response.status(status).json(body);
  });
  return router;
}
