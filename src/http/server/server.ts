import { createServer, type Server } from 'node:http';
import type { Config } from '../../config/index.ts';

/** Largest head of a request. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How often Node checks for requests that arrive too slowly. They can exceed their timeout by this much. */
const CHECK_MS = 1_000;

type ServerTimes = Pick<Config['limits'], 'headersTimeoutMs' | 'requestTimeoutMs' | 'keepAliveTimeoutMs'>;

/** Creates the server. It closes slow connections with 408, and those with a larger head with 431. */
export function createHttpServer({ headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs }: ServerTimes): Server {
  return createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
  });
}

export interface ListenAddress {
  port: number;
  /** An address of this machine. Undefined: all addresses. */
  host: string | undefined;
  /** The environment variable that sets the port. */
  variable: string;
}

/** The service cannot listen on the configured address or port. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

function listenError({ port, host, variable }: ListenAddress, error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `${variable} ${port} is already in use by another process. Stop that process or set ${variable} to a free port.`,
      );
    case 'EACCES':
      return new ListenError(`${variable} ${port} needs more privileges. Set ${variable} to 1024 or more.`);
    case 'EADDRNOTAVAIL':
      return new ListenError(`HOST ${host} is not an address of this machine.`);
    default:
      return error;
  }
}

/** @throws {ListenError} naming the variable to change */
export function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(address, error)));
    server.listen({ port: address.port, host: address.host }, resolve);
  });
}

/** When the service stops, the time a client has to finish sending a request. */
const ARRIVAL_MS = 2_000;
/** When the service stops, the time to answer all accepted requests and for clients to read the responses. */
const DRAIN_MS = 30_000;

/**
 * Stops a server. Requests in progress are answered. Idle connections are closed immediately, and connections that wait
 * for no response soon after. Node no longer times out slow clients of a closed server, so without a deadline one of
 * them could keep the process alive.
 */
export async function stopListening(server: Server, closeInactive = () => server.closeAllConnections()): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const ending = setInterval(closeInactive, ARRIVAL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(ending);
  clearTimeout(deadline);
}
