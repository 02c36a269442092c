import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';

/** RFC 9110 §7.2: a name or an address, and a port. No user and no path, because a tenant is found by what stands here. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;
/** RFC 9112 §3.2.2. Split as text, because parsing it as a URL could change the path that was sent. */
const ABSOLUTE = /^https?:\/\/([^/?#]+)(.*)$/i;

/**
 * Reduces an absolute request line to its path, and puts its host in place of the Host header, as RFC 9112 §3.2.2 demands.
 * Called before Express, whose router would keep the first form for all that follows.
 */
export function toOriginForm(request: IncomingMessage): void {
  const [, host, rest = ''] = ABSOLUTE.exec(request.url ?? '') ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

const countHosts = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;

/**
 * Refuses a request that does not name one host. Forwarded headers never say for which host a request is.
 *
 * @throws 400 `request.invalid_host` for several Host headers, or one that is no host (RFC 9112 §3.2)
 */
export const requireOneHost: RequestHandler = ({ url, headers: { host = '' }, rawHeaders }, _response, next) => {
  const isPath = url.startsWith('/') || url === '*';
  // A request of HTTP/1.0 may name none. It is for the tenant that answers every host, if there is only one.
  const isHost = host === '' || HOST.test(host);
  next(isPath && isHost && countHosts(rawHeaders) <= 1 ? undefined : new ServiceError('request.invalid_host'));
};
