import { STATUS_CODES } from 'node:http';
import type { HttpClient } from '../net/http-client.ts';
import { HttpError } from '../net/http-error.ts';
import { FetchRefusal } from './fetch-broker.ts';
import type { SandboxFetch } from './types.ts';

/** Headers a script may not set: they belong to the connection, or claim that the request was forwarded for someone else. */
const NOT_THE_SCRIPTS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|forwarded|x-forwarded-.*)$/;

export interface ScriptFetchOptions {
  client: HttpClient;
  /** Host names, or `*.example.com` for all subdomains of one. */
  allowedHosts: readonly string[];
  /** Milliseconds for one request. The run's own deadline can end it earlier. */
  deadlineMs: number;
}

const matches = (host: string, allowed: string): boolean =>
  allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;

function requireAllowed(url: string, allowedHosts: readonly string[]): void {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new FetchRefusal('The URL must use http or https.');
  if (!allowedHosts.some((allowed) => matches(parsed.hostname, allowed.toLowerCase()))) {
    throw new FetchRefusal(`Requests to ${parsed.hostname} are not allowed.`);
  }
}

/** Rejects as soon as the run ends. The work itself may continue, but its result is ignored. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(new FetchRefusal('The run has ended.')), { once: true });
  return Promise.race([work, promise]);
}

/**
 * Returns the `fetch` of scripts, which reaches only hosts that the operator allowed. As for webhooks, the address is resolved,
 * checked and pinned. Redirects are not followed, so an allowed host cannot redirect a request elsewhere.
 */
export function scriptFetch({ client, allowedHosts, deadlineMs }: ScriptFetchOptions): SandboxFetch {
  return async (_tenantId, { url, method, headers, body }, { signal, responseBytes }) => {
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
    if (reply.truncated) throw new FetchRefusal(`The response is larger than ${responseBytes} bytes.`);
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
