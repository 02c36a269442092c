import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { unavailable } from '../../database/drivers/unavailable.ts';

interface OAuthError {
  error?: string;
  error_description?: string;
}

/** Replaces `server_error` with 503 when the cause is an unavailable database. Returns false for other causes. */
export function answerUnavailable(ctx: KoaContextWithOIDC, error: unknown): boolean {
  const fault = unavailable(error);
  if (!fault) return false;
  ctx.status = fault.status;
  ctx.set({ ...fault.headers, 'Cache-Control': 'no-store' });
  ctx.body = { error: 'temporarily_unavailable', error_description: fault.message };
  return true;
}

/** oidc-provider's description when a client may not use a grant. RFC 6749 §5.2 has `unauthorized_client` for it. */
export const GRANT_NOT_ALLOWED = 'requested grant type is not allowed for this client';

/** An OAuth error body that also has `code` and `message`, like the errors of the Management API. */
export const describedError = (error: string, description: string | undefined) => ({
  error,
  error_description: description,
  code: `oidc.${error}`,
  message: description ?? error,
});

/** `invalid_grant` with its real reason. oidc-provider describes all of them as `grant request is invalid`. */
export const invalidGrant = (reason: string) =>
  Object.assign(new errors.InvalidGrant(reason), { error_description: reason });

/** Puts the real reason into oidc-provider's `invalid_grant` errors, which all say `grant request is invalid`. */
export function describeGrantFaults(provider: Provider): void {
  provider.on('grant.error', ({ body }, { message, error_detail: detail }) => {
    if (message === 'invalid_grant' && detail !== undefined) (body as OAuthError).error_description = detail;
  });
}

/** Koa middleware that adds `code` and `message` to errors, and `requestId` to internal ones. */
export async function errorBody(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const body = ctx.body as OAuthError | undefined;
  if (ctx.status < 400 || typeof body !== 'object' || body === null || typeof body.error !== 'string') return;

  const { error, error_description: description } = body;
  ctx.body = {
    ...body,
    ...describedError(description === GRANT_NOT_ALLOWED ? 'unauthorized_client' : error, description),
    requestId: ctx.status >= 500 ? ctx.get('x-request-id') : undefined,
  };
}
