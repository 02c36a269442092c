import type { FetchAnswer, FetchRequest } from '../../sandbox/protocol.ts';
import type { SandboxLimits } from './limits.ts';
import type { SandboxFetch } from './types.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const URL_LENGTH = 2_048;
const HEADERS = 32;

/** Checks the fetch requests of scripts, passes them to the `fetch` given by the composition root, and always returns an answer. */
export class FetchBroker {
  readonly #fetch: SandboxFetch;
  readonly #limits: SandboxLimits;

  constructor(fetch: SandboxFetch, limits: SandboxLimits) {
    this.#fetch = fetch;
    this.#limits = limits;
  }

  /** Returns the JSON text of a `FetchAnswer`. Never rejects. */
  async answer(tenantId: string, request: string, signal: AbortSignal): Promise<string> {
    const answer = await this.#send(tenantId, request, signal).catch((error: unknown): FetchAnswer => {
      return { ok: false, message: error instanceof FetchRefusal ? error.message : 'The request failed.' };
    });
    return JSON.stringify(answer);
  }

  async #send(tenantId: string, text: string, signal: AbortSignal): Promise<FetchAnswer> {
    const { fetchBytes } = this.#limits;
    const answer = await this.#fetch(tenantId, requestOf(text, fetchBytes), { signal, responseBytes: fetchBytes });
    if (answer.ok && Buffer.byteLength(answer.body) > fetchBytes)
      throw new FetchRefusal(`The response is larger than ${fetchBytes} bytes.`);
    return answer;
  }
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
