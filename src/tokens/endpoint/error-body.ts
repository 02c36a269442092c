import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { unavailable } from '../../database/drivers/unavailable.ts';

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
export const GRANT_NOT_ALLOWED = 'requested grant type is not allowed for this client';

/** An error of OAuth that says `code` and `message` too, as the Management API's errors do. */
export const describedError = (error: string, description: string | undefined) => ({
  error,
  error_description: description,
  code: `oidc.${error}`,
  message: description ?? error,
});

/** The library's description would say of every fault that the request is invalid. */
export const invalidGrant = (reason: string) =>
  Object.assign(new errors.InvalidGrant(reason), { error_description: reason });

/** Says what is wrong with a code: the library's own description of every such fault is `grant request is invalid`. */
export function describeGrantFaults(provider: Provider): void {
  provider.on('grant.error', ({ body }, { message, error_detail: detail }) => {
    if (message === 'invalid_grant' && detail !== undefined) (body as OAuthError).error_description = detail;
  });
}

/** Koa middleware around every endpoint: describes errors, and says the `requestId` to find a failure of ours by. */
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
