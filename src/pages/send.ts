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

export function sendPage(response: Response, status: number, page: Html, policy: string): void {
  response.status(status).set(pageHeaders(policy)).type('html').send(page.text);
}
