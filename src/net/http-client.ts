import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { HttpError, toHttpError } from './http-error.ts';

/** Limit from the DNS query to the end of the TLS handshake. */
const CONNECT_TIMEOUT_MS = 5000;
const MAX_RESPONSE_HEADER_BYTES = 16 * 1024;
/** Parsed URLs to cache: parsing and checking one costs as much as writing the request. */
const MAX_TARGETS = 1000;

export interface HttpClientOptions {
  guard: AddressGuard;
  /** Sends all requests through this proxy, which then resolves names and decides which are allowed. */
  proxyUrl?: string | undefined;
  /** PEM certificates to trust instead of the built-in ones. */
  ca?: string | undefined;
}

export interface HttpRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: Buffer | string | undefined;
  /** Limit for everything: DNS, connection, TLS, request and the last byte of the response. */
  deadlineMs: number;
  /** Limit for the body. If it is exceeded, the connection is closed and the response is `truncated`. */
  maxResponseBytes: number;
}

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  truncated: boolean;
}

/** The result of parsing and checking a URL. It can be cached, because names are checked at each connection. */
interface HttpTarget {
  origin: string;
  path: string;
  refusal: string | undefined;
}

/**
 * An HTTP client for untrusted servers. A request is one attempt: it follows no redirects, retries nothing,
 * decompresses nothing, and a response cannot take more time or memory than the request allows.
 */
export class HttpClient {
  readonly #guard: AddressGuard;
  readonly #dispatcher: Dispatcher;
  readonly #targets = new LRUCache<string, HttpTarget>({ max: MAX_TARGETS });

  constructor({ guard, proxyUrl, ca }: HttpClientOptions) {
    this.#guard = guard;
    // Undici's own timeouts are off: they restart with every byte, so a server could keep a response open forever.
    const limits = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_RESPONSE_HEADER_BYTES, allowH2: false };
    const tls = ca ? { ca } : {};
    this.#dispatcher = proxyUrl
      ? new ProxyAgent({ ...limits, uri: proxyUrl, requestTls: tls })
      : new Agent({ ...limits, connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, lookup: guard.lookup } });
  }

  /** @throws {HttpError} if there is no complete response. A response of any status is returned. */
  async request({ url, method, headers, body, deadlineMs, maxResponseBytes }: HttpRequest): Promise<HttpResponse> {
    const { origin, path, refusal } = this.#targetOf(url);
    if (refusal) throw new HttpError('blocked', refusal);
    const pending = new PendingRequest(deadlineMs, maxResponseBytes);
    const allHeaders = { 'accept-encoding': 'identity', ...headers };
    try {
      this.#dispatcher.dispatch({ origin, path, method, headers: allHeaders, body }, pending);
    } catch (error) {
      pending.onResponseError(undefined, error as Error);
    }
    return pending.answer.promise;
  }

  #targetOf(url: string): HttpTarget {
    let target = this.#targets.get(url);
    if (!target) {
      const parsed = URL.parse(url);
      const refusal = this.#guard.checkUrl(parsed ?? url);
      target = { origin: parsed?.origin ?? '', path: parsed ? parsed.pathname + parsed.search : '', refusal };
      this.#targets.set(url, target);
    }
    return target;
  }

  /** Aborts all requests in flight. */
  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }
}

/** One request in flight. Turns undici's callbacks into a promise. */
class PendingRequest implements Dispatcher.DispatchHandler {
  readonly #timer: NodeJS.Timeout;
  readonly #maxBytes: number;
  readonly answer = Promise.withResolvers<HttpResponse>();
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #failure: HttpError | undefined;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #received = 0;

  constructor(deadlineMs: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#timer = setTimeout(() => this.#expire(deadlineMs), deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure); // The deadline passed before a connection was available.
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return; // An interim response.
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#maxBytes - this.#received;
    this.#received += chunk.length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length <= room) return;
    this.#finish(true);
    controller.abort(new HttpError('reset', 'The response is larger than allowed.'));
  }

  onResponseEnd(): void {
    this.#finish(false);
  }

  onResponseError(_: unknown, error: Error): void {
    clearTimeout(this.#timer);
    this.answer.reject(toHttpError(error, this.#status));
  }

  #finish(truncated: boolean): void {
    clearTimeout(this.#timer);
    this.answer.resolve({
      status: this.#status as number,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      truncated,
    });
  }

  #expire(deadlineMs: number): void {
    this.#failure = new HttpError('timeout', `No complete response within ${deadlineMs} ms.`, { status: this.#status });
    this.answer.reject(this.#failure);
    this.#controller?.abort(this.#failure);
  }
}
