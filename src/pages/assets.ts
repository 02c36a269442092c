import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Response, Router } from 'express';
import { publicText } from './compression.ts';

/** A file that pages load. Its name contains a hash of its content, so browsers may cache it forever. */
export interface Asset {
  file: string;
  type: 'css' | 'js';
  body: string;
}

export function asset(name: string, type: Asset['type'], body: string): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { file: `${name}.${digest}.${type}`, type, body };
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');

const shared = ['tokens.css', 'controls.css', 'parts.css'].map(read);

/** Pages with a rail beside them: the console and the API reference. */
export const frameStyles = read('frame.css');

/** Appended last, so that it overrides the `display` of any class. */
const HIDDEN = '[hidden] {\n  display: none;\n}\n';

/** Builds a style sheet: the shared tokens, controls, and parts, then `own`. */
export const styleSheet = (name: string, own: readonly string[]): Asset =>
  asset(name, 'css', [...shared, ...own, HIDDEN].join('\n'));

/** Sends the headers of a file that never changes. */
export const immutable = (response: Response, type: Asset['type']): Response =>
  response
    .set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' })
    .type(type);

/** Serves these assets below `base`. */
export function assetRoutes(base: string, assets: Iterable<Asset>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const { file, type, body } of assets) {
    const send = publicText(body);
    router.get(`${base}/${file}`, (_request, response) => send(immutable(response, type)));
  }
  return router;
}
