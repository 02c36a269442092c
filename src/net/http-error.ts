/** Why a request has no usable response. Stored with attempts, and used as a metric label: never rename. */
export type HttpFailure =
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'headers_too_large'
  | 'protocol'
  | 'invalid_request';

export interface HttpErrorDetails {
  cause?: unknown;
  /** The status, if the response was cut off after its headers. */
  status?: number;
}

/** The only error that `HttpClient` throws. */
export class HttpError extends Error {
  readonly reason: HttpFailure;
  readonly status: number | undefined;

  constructor(reason: HttpFailure, message: string, { cause, status }: HttpErrorDetails = {}) {
    super(message, { cause });
    this.name = 'HttpError';
    this.reason = reason;
    this.status = status;
  }
}

/** Maps error codes of undici, Node's sockets and OpenSSL, and the name of HTTP parser errors. The first match wins. */
const REASONS: [RegExp, HttpFailure][] = [
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'headers_too_large'],
  [/^UND_ERR_INVALID_ARG$/, 'invalid_request'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|UND_ERR_ABORTED)$/, 'connect'],
  [/CERT|SIGNATURE|HOSTNAME_MISMATCH|^ERR_TLS|^ERR_SSL|^EPROTO$/, 'tls'],
  [/^(HTTPParserError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'protocol'],
];

/** Describes the failure without the resolved address: tenants can read it, and could map the operator's network. */
function messageOf(error: Error, reason: HttpFailure, code: string): string {
  if (reason === 'timeout') return 'The connection timed out.';
  return reason === 'connect' || 'address' in error ? `The connection failed: ${code}.` : error.message;
}

/** Converts any failure of a request to an `HttpError`. Unknown ones count as a reset connection. */
export function toHttpError(error: Error & { code?: unknown }, status?: number): HttpError {
  if (error instanceof HttpError) return error;
  const code = String(error.code ?? error.name);
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'reset';
  return new HttpError(reason, messageOf(error, reason, code), { cause: error, status });
}
