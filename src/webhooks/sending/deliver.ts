import { type Clock, secondsOf } from '../../base/clock.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { HttpError, type HttpFailure } from '../../net/http-error.ts';
import { signatureHeaders } from '../signatures/signature.ts';
import { deliveryHeaders } from './headers.ts';

/** Of the receiver's answer, kept with the attempt. */
const KEPT_REPLY_BYTES = 8 * 1024;

export interface Target {
  hookId: string;
  url: string;
  headers: Record<string, string>;
  /** Signing keys, newest first. */
  keys: string[];
}

export interface Message {
  /** The event's id. */
  id: string;
  /** The event's body as it is stored: a JSON object without `hookId`. */
  body: string;
}

export interface AttemptLimits {
  deadlineMs: number;
  maxResponseBytes: number;
}

/** `status`: a complete answer that is not a success; `internal`: the fault is ours. Stored and used as a metric label: never renamed. */
export type AttemptError = HttpFailure | 'status' | 'internal';

export interface AttemptOutcome {
  startedAt: number;
  durationMs: number;
  /** Undefined when the receiver accepted the message. */
  error?: AttemptError | undefined;
  /** What went wrong, in words, when there was no complete answer. */
  message?: string | undefined;
  status?: number | undefined;
  /** The beginning of the answer's body. */
  reply?: string | undefined;
  retryAfter?: string | undefined;
}

/** One attempt, which never throws: whatever happens is its outcome. Success is a complete 2xx answer. */
export async function deliver(
  client: Pick<HttpClient, 'request'>,
  { hookId, url, headers, keys }: Target,
  { id, body }: Message,
  limits: AttemptLimits,
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
    return { ...timing(), error, status, reply: keptText(body), retryAfter: headers['retry-after'] };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { ...timing(), error: error.reason, message: error.message, status: error.status };
  }
}

/** The bytes to send: `hookId` as the last member of the stored object, the same for every attempt. */
export function bodyFor(hookId: string, stored: string): string {
  return `${stored.slice(0, stored.lastIndexOf('}'))},"hookId":${JSON.stringify(hookId)}}`;
}

/** As text that both databases can hold: PostgreSQL has no U+0000. */
function keptText(body: Buffer): string {
  return body.subarray(0, KEPT_REPLY_BYTES).toString().replaceAll('\0', '\uFFFD');
}
