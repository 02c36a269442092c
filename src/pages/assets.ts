import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Response, Router } from 'express';
import { publicText } from './compression.ts';

/** A file that pages load. Its name contains a hash of its content, so browsers may cache it forever. */
export interface Asset {
  file: string;
  type: 'css' | 'js' | 'svg' | 'woff2';
  body: string | Buffer;
}

export function asset(name: string, type: Asset['type'], body: Asset['body']): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { file: `${name}.${digest}.${type}`, type, body };
}

const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'assets', name));

/** The product's mark. It is also the icon of pages without one of their own. */
export const mark = asset('mark', 'svg', read('mark.svg'));

/** Figtree (SIL Open Font License 1.1, `assets/figtree-license.txt`): Latin, and further letters of European languages. */
const latin = asset('figtree-latin', 'woff2', read('figtree-latin.woff2'));
const extended = asset('figtree-latin-ext', 'woff2', read('figtree-latin-ext.woff2'));

/** The typeface. It is served in the folder of each style sheet. */
export const faces: readonly Asset[] = [latin, extended];

/** `font-display: swap`: a page never waits for the typeface. */
const fontFace = ({ file }: Asset, range: string): string =>
  `@font-face{font-family:Figtree;font-style:normal;font-weight:300 900;font-display:swap;src:url(${file}) format("woff2");unicode-range:${range}}`;

const shared = [
  fontFace(
    extended,
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  ),
  fontFace(
    latin,
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  ),
  ...['tokens.css', 'controls.css', 'parts.css'].map((name) => read(name).toString()),
];

/** Pages with a rail beside them: the console and the API reference. */
export const frameStyles = read('frame.css').toString();

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
    const send = typeof body === 'string' ? publicText(body) : (response: Response) => void response.send(body);
    router.get(`${base}/${file}`, (_request, response) => send(immutable(response, type)));
  }
  return router;
}
