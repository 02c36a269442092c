import type { Response } from 'express';
import type { Html } from './html.ts';

/** Forbids caching, framing, content sniffing, and sending the referrer. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

/** Sends a page. @param extraHeaders headers to add or replace */
export function sendPage(
  response: Response,
  status: number,
  page: Html,
  policy: string,
  extraHeaders: Record<string, string> = {},
): void {
  response
    .status(status)
    .set({ ...pageHeaders(policy), ...extraHeaders })
    .type('html')
    .send(page.text);
}
