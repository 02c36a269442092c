import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

type Encoding = 'br' | 'gzip';

/** Smaller bodies fit into one packet with or without compression. */
const LEAST_BYTES = 1_400;

/**
 * Brotli quality. A page is compressed for every request; an asset once, in another thread, which takes 0.3 s for the largest.
 * Rejected: 11, which takes 0.7 s and saves another 3 kB.
 */
const QUALITY = { page: 4, asset: 10 };
type Kind = keyof typeof QUALITY;

const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)];

const compress = (text: string, encoding: Encoding, kind: Kind): Promise<Buffer> =>
  encoding === 'gzip'
    ? zip(text)
    : brotli(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: QUALITY[kind],
          [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
        },
      });

const encodingFor = (request: Request): Encoding | undefined =>
  (['br', 'gzip'] as const).find((encoding) => request.acceptsEncodings(encoding));

/**
 * True if the browser says that a page of this origin, or the user, sent the request.
 *
 * Only these pages are compressed. The length of a compressed page tells how much of it repeats: an attacker who sees the
 * length and can make the browser request a page with a chosen text, such as a search, could guess the rest of the page letter
 * by letter (BREACH). Other sites cannot send such a request. An attacker may still change stored names, but the only secret
 * that a page shows more than once is its CSRF token: a browser that sends this header is refused a form from elsewhere even
 * with the right token (`requireCsrfToken`).
 */
const isFromThisOrigin = (request: Request): boolean =>
  ['same-origin', 'none'].includes(String(request.headers['sec-fetch-site']));

async function sendCompressed(
  response: Response,
  text: string,
  encoding: Encoding | undefined,
  compressed: (encoding: Encoding) => Promise<Buffer>,
): Promise<void> {
  response.vary('Accept-Encoding');
  if (!encoding || text.length < LEAST_BYTES) return void response.send(text);
  const body = await compressed(encoding).catch(() => undefined);
  if (response.headersSent) return; // The handler failed after it had sent the page, and its error was answered.
  if (body) response.set('Content-Encoding', encoding);
  response.send(body ?? text);
}

/** Sends a page, compressed unless another site caused the request. */
export function sendText(response: Response, text: string): void {
  const encoding = isFromThisOrigin(response.req) ? encodingFor(response.req) : undefined;
  void sendCompressed(response, text, encoding, (encoding) => compress(text, encoding, 'page'));
}

/** Returns a function that sends this public text, which is compressed at its first request. */
export function publicText(text: string): (response: Response) => void {
  const compressed = new Map<Encoding, Promise<Buffer>>();
  return (response) =>
    void sendCompressed(response, text, encodingFor(response.req), (encoding) =>
      compressed.getOrInsertComputed(encoding, () => compress(text, encoding, 'asset')),
    );
}
