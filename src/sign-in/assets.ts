import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { brandStyles } from './brand.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');

const named = (name: string, extension: string, body: string) => ({
  file: `${name}.${createHash('sha256').update(body).digest('hex').slice(0, 12)}.${extension}`,
  body,
});

/** One sheet of several files; the last one has the last word. */
const style = named('style', 'css', ['tokens.css', 'controls.css', 'layout.css'].map(read).join('\n'));
const script = named('script', 'js', read('script.js'));

/** The names carry what the files hold, so they may be kept for good. */
const FOREVER = 'public, max-age=31536000, immutable';

const BASE = '/sign-in/assets';

/** Paths within the tenant's endpoint. */
export const assetPaths = {
  style: `${BASE}/${style.file}`,
  script: `${BASE}/${script.file}`,
  /** The colour is in the name, and the sheet follows from it: nothing about the tenant is looked up. */
  brand: (hex: string) => `${BASE}/brand.${hex.slice(1).toLowerCase()}.css`,
};

/** Everything the pages load: all of it from here, as their Content-Security-Policy says. */
export function assets(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, type, body] of [
    [assetPaths.style, 'css', style.body],
    [assetPaths.script, 'js', script.body],
  ] as const) {
    router.get(path, (_request, response) => {
      response.set('Cache-Control', FOREVER).set('X-Content-Type-Options', 'nosniff').type(type).send(body);
    });
  }
  router.get(`${BASE}/:file`, (request, response, next) => {
    const [, hex] = /^brand\.([0-9a-f]{6})\.css$/.exec(request.params.file ?? '') ?? [];
    if (hex === undefined) return next();
    response
      .set('Cache-Control', FOREVER)
      .set('X-Content-Type-Options', 'nosniff')
      .type('css')
      .send(brandStyles(`#${hex}`));
  });
  return router;
}
