import { type Clock, secondsOf } from '../../base/clock.ts';
import type { HttpClient, HttpRequest } from '../../net/http-client.ts';
import { HttpError, type HttpFailure } from '../../net/http-error.ts';
import { signatureHeaders } from '../signatures/signature.ts';
import { deliveryHeaders } from './hook-headers.ts';

/** Bytes of the response body stored with the attempt. */
export const KEPT_BODY_BYTES = 8 * 1024;

export interface DeliveryTarget {
  hookId: string;
  url: string;
  headers: Record<string, string>;
  /** Signing secrets, newest first. */
  keys: string[];
}

export interface DeliveryMessage {
  /** The event's id. */
  id: string;
  /** The stored event body: a JSON object without `hookId`. */
  body: string;
}

/**
 * Why an attempt failed. `status`: a complete response other than 2xx; `internal`: an error in this service. Stored,
 * and used as a metric label: never rename.
 */
export type AttemptError = HttpFailure | 'status' | 'internal';

export interface AttemptOutcome {
  startedAt: number;
  durationMs: number;
  /** Undefined if the attempt succeeded. */
  error?: AttemptError | undefined;
  /** Describes the failure if there was no complete response. */
  message?: string | undefined;
  status?: number | undefined;
  /** The beginning of the response body. */
  responseBody?: string | undefined;
  retryAfter?: string | undefined;
}

/** Makes one attempt. A request that fails is an outcome, not an exception. Success is a complete 2xx response. */
export async function deliver(
  client: Pick<HttpClient, 'request'>,
  { hookId, url, headers, keys }: DeliveryTarget,
  { id, body }: DeliveryMessage,
  limits: Pick<HttpRequest, 'deadlineMs' | 'maxResponseBytes'>,
  clock: Clock,
): Promise<AttemptOutcome> {
  const startedAt = clock();
  const started = performance.now();
  const signed = Buffer.from(bodyFor(hookId, body));
  const signatures = signatureHeaders({ id, timestamp: secondsOf(startedAt), body: signed, keys });
  const request = { url, method: 'POST', headers: deliveryHeaders(headers, signatures), body: signed, ...limits };
  const timing = () => ({ startedAt, durationMs: Math.round(performance.now() - started) });
  try {
    const { status, headers, body } = await client.request(request);
    const error = status >= 200 && status < 300 ? undefined : 'status';
    return { ...timing(), error, status, responseBody: keptText(body), retryAfter: headers['retry-after'] };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { ...timing(), error: error.reason, message: error.message, status: error.status };
  }
}

/** Returns the body to send: the stored object with `hookId` as its last member, identical for every attempt. */
export function bodyFor(hookId: string, stored: string): string {
  return `${stored.slice(0, stored.lastIndexOf('}'))},"hookId":${JSON.stringify(hookId)}}`;
}

/** Returns text that both databases can store: PostgreSQL does not allow U+0000. */
function keptText(body: Buffer): string {
  return body.subarray(0, KEPT_BODY_BYTES).toString().replaceAll('\0', '\uFFFD');
}
