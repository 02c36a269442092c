import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * For the pages that the library writes by itself: one that posts the answer to the application (`form_post`), one that
 * confirms a sign-out of nobody. The library adds the digest of its own script to `script-src`. `form-action` is left
 * out, because where the form goes is for the application's registration to say.
 */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'";

/** Koa middleware around every endpoint. Our own pages put their own policy in the place of this one. */
export async function protectPages(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY); // Before: the library looks for it as it writes the page.
  await next();
  if (ctx.response.is('html')) ctx.set('X-Frame-Options', 'DENY');
  else ctx.remove('Content-Security-Policy');
}
