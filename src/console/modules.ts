import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { Router } from 'express';
import { type Asset, asset, assetRoutes, faces, frameStyles, mark, styleSheet } from '../pages/assets.ts';

/**
 * Scripts and style sheets that browsers load: the files in `assets/`, and the files of installed packages listed here. An
 * import map resolves the names. The libraries of the script editor are one file, which `npm run cli -- bundle-editor`
 * writes, because a browser would need four round trips for the imports of their 14 modules.
 */

/** Import name → package and its ES module. No other file of `node_modules` is served. */
const PACKAGES: Record<string, readonly [packageName: string, file: string]> = {
  uplot: ['uplot', 'dist/uPlot.esm.js'],
};

/** Style sheets of packages, placed before ours. */
const PACKAGE_SHEETS = [['uplot', 'dist/uPlot.min.css']] as const;

/** Our own style sheets, in cascade order after that of the frame. */
const SHEETS = [
  'content.css',
  'forms.css',
  'plots.css',
  'overview.css',
  'claims.css',
  'webhooks.css',
  'find.css',
  'face.css',
];

const ASSETS = join(import.meta.dirname, 'assets');
const BASE = '/console/-/assets';

const read = (name: string): string => readFileSync(join(ASSETS, name), 'utf8');

function packageFile([packageName, file]: readonly [string, string]): string {
  const manifest = findPackageJSON(packageName, import.meta.url);
  if (!manifest) throw new Error(`${packageName} is not installed`);
  return readFileSync(join(dirname(manifest), file), 'utf8');
}

const style = styleSheet('console', [...PACKAGE_SHEETS.map(packageFile), frameStyles, ...SHEETS.map(read)]);

/** `live.js` → `console/live`, `codemirror.min.js` → `codemirror` */
const importNameOf = (file: string): string =>
  file.endsWith('.min.js') ? file.slice(0, -7) : `console/${file.slice(0, -3)}`;

/** Served modules by import name. */
const modules: ReadonlyMap<string, Asset> = new Map([
  ...readdirSync(ASSETS)
    .filter((file) => file.endsWith('.js'))
    .map((file) => [importNameOf(file), asset(file.slice(0, -3), 'js', read(file))] as const),
  ...Object.entries(PACKAGES).map(
    ([name, where]) => [name, asset(name.replaceAll(/[^a-z0-9]+/gi, '-'), 'js', packageFile(where))] as const,
  ),
]);

/** Path of the style sheet below the tenant's endpoint. */
export const stylePath = `${BASE}/${style.file}`;

/** Path of the product's mark below the tenant's endpoint. */
export const markPath = `${BASE}/${mark.file}`;

/** Path of a module below the tenant's endpoint. @throws if no module has this name */
export function modulePath(name: string): string {
  const module = modules.get(name);
  if (!module) throw new Error(`no module ${name}`);
  return `${BASE}/${module.file}`;
}

/** Returns the names of the modules that these import, directly or not, so that a page can load all of them at once. */
export function importsOf(names: readonly string[]): string[] {
  const found = new Set(names);
  for (const name of found)
    for (const [, imported = ''] of String(modules.get(name)?.body ?? '').matchAll(/\b(?:from|import) '([\w/-]+)';/g))
      if (modules.has(imported)) found.add(imported);
  return [...found].filter((name) => !names.includes(name));
}

/** Returns the import map for an endpoint at path `base`, and its hash for the Content-Security-Policy. */
export function importMapOf(base: string): { text: string; hash: string } {
  const imports = Object.fromEntries([...modules.keys()].map((name) => [name, `${base}${modulePath(name)}`]));
  const text = JSON.stringify({ imports });
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

/** Serves the files below the router's own path. */
export const moduleRoutes = (): Router => assetRoutes('/-/assets', [style, mark, ...faces, ...modules.values()]);
