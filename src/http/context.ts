import type { Request } from 'express';
import { plainAddress } from '../base/address.ts';
import type { AdministratorRole } from '../base/administrator-role.ts';
import type { Tenant } from '../tenants.ts';

/** The caller of an operation: a machine-to-machine application of this tenant, or an administrator in the console. */
export interface Caller {
  applicationId: string;
  scopes: ReadonlySet<string>;
  /** The administrator, a user of the default tenant. Undefined for a machine-to-machine application. */
  userId?: string;
  /** The administrator's role in the tenant. Applications act as owners. */
  role: AdministratorRole;
}

/** Facts about a request that other code derives from it once. */
export interface RequestContext extends ClientFacts {
  /** Also the `X-Request-Id` of the response. */
  requestId: string;
  tenant: Tenant;
  caller?: Caller;
}

const contexts = new WeakMap<object, RequestContext>();

export const setContext = (request: object, context: RequestContext): void => {
  contexts.set(request, context);
};

/** @throws if the tenant is not resolved yet, which is a bug */
export function contextOf(request: object): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('The request has no tenant yet.');
  return context;
}

/** Characters of a `User-Agent` to keep. Longer values are truncated, because they are stored in rows and events. */
const MAX_USER_AGENT = 512;

export interface ClientFacts {
  userAgent: string | undefined;
  ip: string | undefined;
}

/** Computed once per request, because Express walks through the forwarded addresses to find the client. */
export const factsOf = (request: Request): ClientFacts => ({
  userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT),
  // A proxy may send something that is no address, which must not be counted or stored.
  ip: plainAddress(request.ip) ?? plainAddress(request.socket.remoteAddress),
});

export function clientFactsOf(request: object): ClientFacts {
  const { userAgent, ip } = contextOf(request);
  return { userAgent, ip };
}

/** The origin and the id of a request, as rows and audit entries store them. */
export type RequestFacts = ClientFacts & Pick<RequestContext, 'requestId'>;

export const requestFactsOf = (request: object): RequestFacts => ({
  ...clientFactsOf(request),
  requestId: contextOf(request).requestId,
});
