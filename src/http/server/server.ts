import { createServer, type Server } from 'node:http';

/** Of the head of a request. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How often Node looks for requests that take too long to arrive: they may overstay this much. */
const CHECK_MS = 1_000;

export interface ServerTimes {
  /** From the connection, or the first byte of a later request, to the end of its head. */
  headersTimeoutMs: number;
  /** To the end of its body. */
  requestTimeoutMs: number;
  /** How long a connection may rest between two requests: longer than a proxy keeps it, which else meets a closed one. */
  keepAliveTimeoutMs: number;
}

/** A request that is not whole in time is answered 408, one with a larger head 431, and the connection closed. */
export function createHttpServer({ headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs }: ServerTimes): Server {
  return createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
  });
}

export interface Place {
  port: number;
  /** An address of this machine; undefined: all of them. */
  host: string | undefined;
  /** The variable that the port came from. */
  variable: string;
}

/** The service cannot listen where it was told to. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

function listenError({ port, host, variable }: Place, error: NodeJS.ErrnoException): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        `${variable} ${port} is taken by another process. Stop it, or set ${variable} to a free one.`,
      );
    case 'EACCES':
      return new ListenError(`${variable} ${port} is not for this user. Set ${variable} to 1024 or more.`);
    case 'EADDRNOTAVAIL':
      return new ListenError(`HOST ${host} is not an address of this machine.`);
    default:
      return error;
  }
}

/** @throws {ListenError} which names the variable to change */
export function listen(server: Server, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(place, error)));
    server.listen({ port: place.port, host: place.host }, resolve);
  });
}

/** How long a client has to end a request that it has begun to send when the service stops. */
const ARRIVAL_MS = 2_000;
/** How long all that was taken has to be answered and read. */
const DRAIN_MS = 30_000;

/**
 * Requests under way are answered; idle connections are closed at once, and those that are owed nothing soon after. Node
 * stops looking for slow clients once a server is closed: without an end of our own, one could hold the process.
 */
export async function stopListening(server: Server, endUnowed = () => server.closeAllConnections()): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const ending = setInterval(endUnowed, ARRIVAL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(ending);
  clearTimeout(deadline);
}
