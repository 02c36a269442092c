import type { KoaContextWithOIDC } from 'oidc-provider';
import { unavailable } from '../database/unavailable.ts';

interface OAuthError {
  error?: string;
  error_description?: string;
}

/** Answers in place of `server_error` when the database is not to be had. @returns whether that is why */
export function answerUnavailable(ctx: KoaContextWithOIDC, error: unknown): boolean {
  const fault = unavailable(error);
  if (!fault) return false;
  ctx.status = fault.status;
  ctx.set({ ...fault.headers, 'Cache-Control': 'no-store' });
  ctx.body = { error: 'temporarily_unavailable', error_description: fault.message };
  return true;
}

/** What the library answers when a client may not use a grant; RFC 6749 §5.2 has a code of its own for it. */
const GRANT_NOT_ALLOWED = 'requested grant type is not allowed for this client';

/**
 * Koa middleware around every endpoint: an error also says `code` and `message`, as the Management
 * API's errors do, and a failure of ours the `requestId` to find it by.
 */
export async function errorBody(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const body = ctx.body as OAuthError | undefined;
  if (ctx.status < 400 || typeof body !== 'object' || body === null || typeof body.error !== 'string') return;

  let { error, error_description: description } = body;
  if (description === GRANT_NOT_ALLOWED) {
    error = 'unauthorized_client';
    const isExchange = ctx.oidc.params?.grant_type === 'urn:ietf:params:oauth:grant-type:token-exchange';
    description = isExchange
      ? 'this application may not use token exchange: customClientMetadata.allowTokenExchange is not true'
      : GRANT_NOT_ALLOWED;
  }
  const requestId = ctx.status >= 500 ? ctx.get('x-request-id') : undefined;
  ctx.body = {
    ...body,
    error,
    error_description: description,
    code: `oidc.${error}`,
    message: description ?? error,
    requestId,
  };
}
