import type { Response } from 'express';
import type { Html } from './html.ts';

/** Nothing is kept, framed, guessed or told to the next site. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  'Content-Security-Policy': policy,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
});

/** @param besides headers beside these, or in their place */
export function sendPage(
  response: Response,
  status: number,
  page: Html,
  policy: string,
  besides: Record<string, string> = {},
): void {
  response
    .status(status)
    .set({ ...pageHeaders(policy), ...besides })
    .type('html')
    .send(page.text);
}
