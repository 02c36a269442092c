import { type Request, Router } from 'express';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from '../../config/index.ts';

export interface HealthChecks {
  /** Rejects when the database does not answer. */
  database(): Promise<unknown>;
  /** False once the process was told to stop: a balancer sends its requests elsewhere. */
  isServing(): boolean;
  /** For operators: `/readyz?verbose`. */
  details(): Record<string, unknown>;
}

/** The answer of `/readyz`, for the ports that give one. */
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

/** Headers by which proxies say whom a request is from. One of them is enough to tell that there is a proxy. */
const OF_PROXIES = /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|true-client-ip|.+-connecting-ip)$/;

/**
 * True for a request that a process on this machine made to this machine. One that came through a proxy here is from
 * anywhere: such a request has a forwarding header, or the public name in `Host`, by which tenants are found.
 */
function isFromHere({ socket, headers }: Request): boolean {
  const { remoteAddress = '' } = socket;
  const isLoopback = ipaddr.isValid(remoteAddress) && ipaddr.process(remoteAddress).range() === 'loopback';
  const asked = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  return isLoopback && isLoopbackHost(asked) && !Object.keys(headers).some((name) => OF_PROXIES.test(name));
}

/** `/healthz`: the process runs. `/readyz`: it can answer. Neither names a tenant, and only this machine is told more. */
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
