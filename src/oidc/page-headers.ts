import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Content Security Policy of the pages that oidc-provider renders: the one that posts the response to the application
 * (`form_post`), and the sign-out confirmation without a session. oidc-provider adds the digest of its script to
 * `script-src`. There is no `form-action`, because the form's target is a registered URI of the application.
 */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'";

/** Koa middleware that sets the policy for every endpoint. Our own pages replace it with theirs. */
export async function protectPages(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY); // Set first: oidc-provider extends it.
  await next();
  if (ctx.response.is('html')) ctx.set('X-Frame-Options', 'DENY');
  else ctx.remove('Content-Security-Policy');
}
