import type { Request } from 'express';
import { plainAddress } from '../base/address.ts';
import type { Tenant } from '../tenants.ts';

/** Who performs an operation: a machine-to-machine application of this tenant, or an administrator in the console. */
export interface Caller {
  applicationId: string;
  scopes: ReadonlySet<string>;
  /** The administrator, a user of the default tenant; undefined for machines. */
  userId?: string;
}

/** What is known of a request besides its own text. */
export interface RequestContext extends ClientFacts {
  /** Also the `X-Request-Id` of the answer. */
  requestId: string;
  tenant: Tenant;
  caller?: Caller;
}

const contexts = new WeakMap<object, RequestContext>();

export const setContext = (request: object, context: RequestContext): void => {
  contexts.set(request, context);
};

/** @throws when asked before the tenant was resolved: a fault of ours */
export function contextOf(request: object): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('the request has no tenant yet');
  return context;
}

/** Longer ones are cut: they go into rows and events. */
const MAX_USER_AGENT = 512;

export interface ClientFacts {
  userAgent: string | undefined;
  ip: string | undefined;
}

/** Looked up once: who the client is takes Express a walk through the forwarded addresses. */
export const factsOf = (request: Request): ClientFacts => ({
  userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
  // A proxy may name a client by something else, which must be neither counted nor written.
  ip: plainAddress(request.ip) ?? plainAddress(request.socket.remoteAddress),
});

export function clientFactsOf(request: object): ClientFacts {
  const { userAgent, ip } = contextOf(request);
  return { userAgent, ip };
}

/** Where a request came from, and its id: what rows and audit entries say of it. */
export type RequestFacts = ClientFacts & Pick<RequestContext, 'requestId'>;

export const requestFactsOf = (request: object): RequestFacts => ({
  ...clientFactsOf(request),
  requestId: contextOf(request).requestId,
});
