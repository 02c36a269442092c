import type { FetchAnswer, FetchRequest } from '../../sandbox/protocol.ts';
import type { SandboxLimits } from './limits.ts';
import type { SandboxFetch } from './types.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const URL_LENGTH = 2_048;
const HEADERS = 32;

/** Answers a fetch request of a script with the JSON text of a `FetchAnswer`. Never rejects. */
export type FetchBroker = (tenantId: string, request: string, signal: AbortSignal) => Promise<string>;

/** Returns the broker, which checks requests and passes them to the `fetch` given by the composition root. */
export function fetchBroker(fetch: SandboxFetch, { fetchBytes }: SandboxLimits): FetchBroker {
  const send = async (tenantId: string, text: string, signal: AbortSignal): Promise<FetchAnswer> => {
    const answer = await fetch(tenantId, requestOf(text, fetchBytes), { signal, responseBytes: fetchBytes });
    if (answer.ok && Buffer.byteLength(answer.body) > fetchBytes)
      throw new FetchRefusal(`The response is larger than ${fetchBytes} bytes.`);
    return answer;
  };
  return async (tenantId, request, signal) => {
    const answer = await send(tenantId, request, signal).catch((error: unknown): FetchAnswer => {
      return { ok: false, message: error instanceof FetchRefusal ? error.message : 'The request failed.' };
    });
    return JSON.stringify(answer);
  };
}

/** A `SandboxFetch` rejects with this when the script's author may see the reason, such as a host that is not allowed. */
export class FetchRefusal extends Error {
  override readonly name = 'FetchRefusal';
}

/** Parses a request. The runner is not trusted, so the text is treated as if the script had written it. */
function requestOf(text: string, mostBytes: number): FetchRequest {
  const { url, method, headers, body } = JSON.parse(text) as Record<string, unknown>;
  if (typeof url !== 'string' || url.length > URL_LENGTH)
    throw new FetchRefusal(`The URL must be text of at most ${URL_LENGTH} characters.`);
  if (typeof method !== 'string' || !METHODS.includes(method)) throw new FetchRefusal('The method is not allowed.');
  const pairs = Object.entries((headers ?? {}) as Record<string, unknown>);
  if (pairs.length > HEADERS || pairs.some(([, value]) => typeof value !== 'string'))
    throw new FetchRefusal(`A request may have at most ${HEADERS} headers, each with a text value.`);
  if (body !== undefined && (typeof body !== 'string' || Buffer.byteLength(body) > mostBytes)) {
    throw new FetchRefusal(`The body must be text of at most ${mostBytes} bytes.`);
  }
  return {
    url,
    method,
    headers: Object.fromEntries(pairs) as Record<string, string>,
    ...(body !== undefined && { body }),
  };
}
