import { STATUS_CODES } from 'node:http';
import type { FetchAnswer, FetchRequest } from '../../sandbox/protocol.ts';
import type { HttpClient } from '../net/http-client.ts';
import { HttpError } from '../net/http-error.ts';
import { FetchRefusal } from './fetch-broker.ts';
import type { SandboxFetch } from './types.ts';

/** What belongs to the connection, or would say that the request is somebody else's. */
const NOT_THE_SCRIPTS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|forwarded|x-forwarded-.*)$/;

export interface ScriptFetchOptions {
  client: HttpClient;
  /** Names of hosts, or `*.example.com` for all below one. */
  allowedHosts: readonly string[];
  /** Milliseconds; the run's own deadline ends a request earlier. */
  deadlineMs: number;
}

const matches = (host: string, allowed: string): boolean =>
  allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;

function requireAllowed(url: string, allowedHosts: readonly string[]): void {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new FetchRefusal('The address must use http or https.');
  if (!allowedHosts.some((allowed) => matches(parsed.hostname, allowed.toLowerCase()))) {
    throw new FetchRefusal(`Requests to ${parsed.hostname} are not allowed.`);
  }
}

/** As the run sees it end: whatever is under way when the run is over no longer matters. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new FetchRefusal('The run is over.')), { once: true });
  return Promise.race([work, promise]);
}

/**
 * `fetch` of scripts, to hosts that the operator named: the address is resolved, judged and pinned by
 * the same guard as webhooks, and no redirect is followed, so an allowed host cannot lead elsewhere.
 */
export function scriptFetch({ client, allowedHosts, deadlineMs }: ScriptFetchOptions): SandboxFetch {
  return async (
    _tenantId,
    { url, method, headers, body }: FetchRequest,
    { signal, responseBytes },
  ): Promise<FetchAnswer> => {
    requireAllowed(url, allowedHosts);
    const own = Object.entries(headers).filter(([name]) => !NOT_THE_SCRIPTS.test(name.toLowerCase()));
    const request = {
      url,
      method,
      headers: Object.fromEntries(own),
      body,
      deadlineMs,
      maxResponseBytes: responseBytes,
    };
    const reply = await untilAborted(client.request(request), signal).catch((error: unknown) => {
      throw error instanceof HttpError ? new FetchRefusal(`The request failed: ${error.reason}.`) : error;
    });
    if (reply.truncated) throw new FetchRefusal(`The answer is larger than ${responseBytes} bytes.`);
    return {
      ok: true,
      status: reply.status,
      statusText: STATUS_CODES[reply.status] ?? '',
      url,
      headers: Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      ),
      body: reply.body.toString(),
    };
  };
}
