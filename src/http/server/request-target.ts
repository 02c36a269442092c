import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors.ts';

/** RFC 9110 §7.2: a name or an address, and a port. Without user and path, because the host identifies the tenant. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;
/** RFC 9112 §3.2.2. Split as text, because parsing it as a URL could change the path. */
const ABSOLUTE = /^https?:\/\/([^/?#]+)(.*)$/i;

/**
 * Reduces an absolute request target to its path and replaces the Host header with its host, as RFC 9112 §3.2.2
 * requires. Runs before Express, whose router would keep the original form.
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
 * Refuses a request that does not name exactly one host. Forwarded headers never determine the host.
 *
 * @throws 400 `request.invalid_host` for several Host headers or an invalid one (RFC 9112 §3.2)
 */
export const requireOneHost: RequestHandler = ({ url, headers: { host = '' }, rawHeaders }, _response, next) => {
  const isPath = url.startsWith('/') || url === '*';
  // An HTTP/1.0 request may have no Host header. The tenant is then the one that is served at every host, if any.
  const isHost = host === '' || HOST.test(host);
  next(isPath && isHost && countHosts(rawHeaders) <= 1 ? undefined : new ServiceError('request.invalid_host'));
};
