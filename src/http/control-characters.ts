import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

/** Tab and line breaks, which multi-line text contains. */
const ALLOWED = [0x09, 0x0a, 0x0d];
const ENCODED = /%([01][\da-f])/gi;

/**
 * True if the bytes contain a control character (U+0000 to U+001F), plain or percent-encoded. PostgreSQL cannot store
 * U+0000, and the others have no meaning in any field. `%2500` is the text `%00` and passes.
 */
function holdsControl(sent: Buffer): boolean {
  const isControl = (code: number) => code < 0x20 && !ALLOWED.includes(code);
  if (sent.some(isControl)) return true;
  return sent
    .toString('latin1')
    .matchAll(ENCODED)
    .some(([, code = '']) => isControl(Number.parseInt(code, 16)));
}

function refuseControl(sent: Buffer, part: string): void {
  if (!holdsControl(sent)) return;
  throw new ServiceError('guard.invalid_input', {
    message: `The ${part} of the request contains control characters. Remove them.`,
  });
}

/** Middleware for all pages, before their routes. @throws 400 `guard.invalid_input` */
export const refuseControlInUrl: RequestHandler = ({ url }, _response, next) => {
  refuseControl(Buffer.from(url), 'URL');
  next();
};

/** The `verify` option of a form body parser. @throws 400 `guard.invalid_input` */
export const refuseControlInForm = (_request: IncomingMessage, _response: unknown, body: Buffer): void =>
  refuseControl(body, 'form');
