import type { Response } from 'express';
import { sendText } from './compression.ts';
import type { Html } from './html.ts';

/** Allows only files of this origin: no inline style, no inline script, and no framing. */
const policyOf = (scripts: string): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${scripts}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Forbids caching, framing, content sniffing, and sending the referrer. The policy omits `form-action`: browsers apply it
 * to every redirect after a form was sent, and the last redirect of a sign-in goes to the application.
 */
export const pageHeaders = {
  'Content-Security-Policy': policyOf("'self'"),
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** The policy of a page with one inline script, which has this hash, and with forms that post to this origin and frames of it. */
export const policyWithScript = (hash: string): string =>
  `${policyOf(`'self' ${hash}`)}; form-action 'self'; frame-src 'self'`;

/** The headers of a preview in a frame of this origin: one inline style, which has this hash, and no script. */
export const previewHeaders = (styleHash: string): Record<string, string> => ({
  'Content-Security-Policy': policyOf("'none'")
    .replace("style-src 'self'", `style-src 'self' ${styleHash}`)
    .replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    .concat("; form-action 'none'"),
  'X-Frame-Options': 'SAMEORIGIN',
});

/** Sends a page. @param extraHeaders headers to add or replace */
export function sendPage(
  response: Response,
  status: number,
  page: Html,
  extraHeaders: Record<string, string> = {},
): void {
  response
    .status(status)
    .set({ ...pageHeaders, ...extraHeaders })
    .type('html');
  sendText(response, page.text);
}
