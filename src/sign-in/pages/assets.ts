import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Router } from 'express';
import { asset, assetRoutes, immutable, styleSheet } from '../../pages/assets.ts';
import { brandStyles } from '../../pages/brand.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');

const style = styleSheet('style', [read('layout.css')]);
const script = asset('script', 'js', read('script.js'));

const BASE = '/sign-in/assets';

/** Paths below the tenant's endpoint. */
export const assetPaths = {
  style: `${BASE}/${style.file}`,
  script: `${BASE}/${script.file}`,
  /** The style sheet is computed from the color in its file name, so it needs no lookup of the tenant. */
  brand: (hex: string) => `${BASE}/brand.${hex.slice(1).toLowerCase()}.css`,
};

/** Serves every file that the pages load. Their Content-Security-Policy allows no other origin. */
export function assets(): Router {
  const router = assetRoutes(BASE, [style, script]);
  router.get(`${BASE}/:file`, (request, response, next) => {
    const [, hex] = /^brand\.([0-9a-f]{6})\.css$/.exec(request.params.file ?? '') ?? [];
    if (hex === undefined) return next();
    immutable(response, 'css').send(brandStyles(`#${hex}`));
  });
  return router;
}
