import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Response, Router } from 'express';
import { contextOf } from '../../http/context.ts';
import { asset, assetRoutes, faces, immutable, mark, styleSheet } from '../../pages/assets.ts';
import { brandStyles } from '../../pages/brand.ts';
import type { Tenant } from '../../tenants.ts';
import { compileCss } from '../brand/custom-css.ts';
import { IMAGE_FILE, imageTypeOf } from '../brand/images.ts';
import { readSettings } from '../settings.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'assets', name), 'utf8');

const style = styleSheet('style', [read('layout.css')]);
const script = asset('script', 'js', read('script.js'));

const BASE = '/sign-in/assets';

const customFileOf = (css: string): string =>
  `custom.${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css`;

/** Paths below the tenant's endpoint. */
export const assetPaths = {
  style: `${BASE}/${style.file}`,
  script: `${BASE}/${script.file}`,
  mark: `${BASE}/${mark.file}`,
  /** The style sheet is computed from the colors in its file name, so it needs no lookup of the tenant. */
  brand: (hex: string, darkHex = hex) =>
    `${BASE}/brand.${[...new Set([hex, darkHex])].map((color) => color.slice(1).toLowerCase()).join('.')}.css`,
  custom: (css: string) => `${BASE}/${customFileOf(css)}`,
  /** An image of the tenant. */
  own: (file: string) => `${BASE}/${file}`,
};

const BRAND_FILE = /^brand\.([0-9a-f]{6})(?:\.([0-9a-f]{6}))?\.css$/;

/** An image of a tenant can load and run nothing, also when it is opened by itself. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

async function sendImage(response: Response, { store }: Tenant, file: string): Promise<boolean> {
  const image = await store.from('signInImages').where({ file }).first('content');
  if (!image) return false;
  response
    .set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': IMAGE_POLICY,
    })
    .type(imageTypeOf(file) as string)
    .send(Buffer.from(image.content, 'base64'));
  return true;
}

async function sendCustomCss(response: Response, { store, name }: Tenant, file: string): Promise<boolean> {
  const { customCss } = await readSettings(store, name);
  if (!customCss || customFileOf(customCss) !== file) return false;
  immutable(response, 'css').send(compileCss(customCss));
  return true;
}

/** Serves every file that the pages load. Their Content-Security-Policy allows no other origin. */
export function assets(): Router {
  const router = assetRoutes(BASE, [style, script, mark, ...faces]);
  router.get(`${BASE}/:file`, async (request, response, next) => {
    const file = String(request.params.file);
    const { tenant } = contextOf(request);
    const [, hex, darkHex] = BRAND_FILE.exec(file) ?? [];
    if (hex !== undefined) {
      immutable(response, 'css').send(brandStyles(`#${hex}`, `#${darkHex ?? hex}`));
      return;
    }
    if (IMAGE_FILE.test(file) && (await sendImage(response, tenant, file))) return;
    if (/^custom\.[0-9a-f]{16}\.css$/.test(file) && (await sendCustomCss(response, tenant, file))) return;
    next();
  });
  return router;
}
