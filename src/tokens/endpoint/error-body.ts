import type { Response } from 'express';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { unavailable } from '../../database/drivers/unavailable.ts';
import { rateLimitHeaders, type Verdict } from '../../http/rate-limits/rate-limits.ts';

/** `temporarily_unavailable` with a status and headers of its own. */
export class TemporarilyUnavailable extends errors.TemporarilyUnavailable {
  readonly headers: Record<string, string>;

  constructor(description: string, status: 429 | 503, headers: Record<string, string>) {
    super(description);
    this.statusCode = status;
    this.headers = headers;
  }
}

/** The error for a client that is over its rate limit. */
export const tooManyRequests = (verdict: Verdict) =>
  new TemporarilyUnavailable('too many requests', 429, rateLimitHeaders(verdict));

/** The error for a failure because the database is unavailable; undefined for every other failure. */
export function databaseUnavailable(error: unknown): TemporarilyUnavailable | undefined {
  const fault = unavailable(error);
  return fault && new TemporarilyUnavailable(fault.message, 503, fault.headers);
}

/** An OAuth error body that also has `code` and `message`, like the errors of the Management API. */
const describedError = (error: string, description: string | undefined) => ({
  error,
  error_description: description,
  code: `oidc.${error}`,
  message: description ?? error,
});

/** The response for an error (RFC 6749 §5.2). */
export function replyTo(error: errors.OIDCProviderError) {
  // oidc-provider has one description for every `invalid_grant`. The detail is the real reason.
  const reason = error instanceof errors.InvalidGrant ? error.error_detail : undefined;
  return {
    status: error.statusCode,
    headers: { 'Cache-Control': 'no-store', ...(error instanceof TemporarilyUnavailable && error.headers) },
    body: describedError(error.message, reason ?? error.error_description ?? error.message),
  };
}

/** Refuses a request before any endpoint has it. */
export function refuse(response: Response, error: errors.OIDCProviderError): void {
  const { status, headers, body } = replyTo(error);
  response.set(headers).status(status).json(body);
}

/** Replaces `server_error` of oidc-provider with 503 when the database is unavailable. Returns false otherwise. */
export function answerUnavailable(ctx: KoaContextWithOIDC, error: unknown): boolean {
  const fault = databaseUnavailable(error);
  if (!fault) return false;
  const { status, headers, body } = replyTo(fault);
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
  return true;
}

const isOAuthError = (body: unknown): body is { error: string; error_description?: string } =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';

/** Koa middleware that adds `code` and `message` to errors of oidc-provider, and `requestId` to internal ones. */
export async function errorBody(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const { body } = ctx;
  if (ctx.status < 400 || !isOAuthError(body)) return;
  ctx.body = {
    ...body,
    ...describedError(body.error, body.error_description),
    requestId: ctx.status >= 500 ? ctx.get('x-request-id') : undefined,
  };
}
