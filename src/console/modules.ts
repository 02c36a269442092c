import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { Router } from 'express';
import { type Asset, asset, faces, mark, sendAsset, styleSheet } from '../pages/assets.ts';

/**
 * Scripts and style sheets that browsers load: the files in `assets/`, and the files of installed packages listed here.
 * Nothing is bundled: an import map resolves the names.
 */

/** Import name → package and its ES module. No other file of `node_modules` is served. */
const PACKAGES: Record<string, readonly [packageName: string, file: string]> = {
  uplot: ['uplot', 'dist/uPlot.esm.js'],
  // The script editor and its transitive imports.
  '@codemirror/autocomplete': ['@codemirror/autocomplete', 'dist/index.js'],
  '@codemirror/commands': ['@codemirror/commands', 'dist/index.js'],
  '@codemirror/lang-javascript': ['@codemirror/lang-javascript', 'dist/index.js'],
  '@codemirror/language': ['@codemirror/language', 'dist/index.js'],
  '@codemirror/lint': ['@codemirror/lint', 'dist/index.js'],
  '@codemirror/search': ['@codemirror/search', 'dist/index.js'],
  '@codemirror/state': ['@codemirror/state', 'dist/index.js'],
  '@codemirror/streamparser': ['@codemirror/streamparser', 'dist/index.js'],
  '@codemirror/view': ['@codemirror/view', 'dist/index.js'],
  '@lezer/common': ['@lezer/common', 'dist/index.js'],
  '@lezer/highlight': ['@lezer/highlight', 'dist/index.js'],
  '@lezer/javascript': ['@lezer/javascript', 'dist/index.js'],
  '@lezer/lr': ['@lezer/lr', 'dist/index.js'],
  '@marijn/find-cluster-break': ['@marijn/find-cluster-break', 'src/index.js'],
  crelt: ['crelt', 'index.js'],
  'style-mod': ['style-mod', 'src/style-mod.js'],
  'w3c-keyname': ['w3c-keyname', 'index.js'],
};

/** Style sheets of packages, placed before ours. */
const PACKAGE_SHEETS = [['uplot', 'dist/uPlot.min.css']] as const;

/** Our style sheets, in cascade order. */
const SHEETS = [
  'frame.css',
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

const style = styleSheet('console', [...PACKAGE_SHEETS.map(packageFile), ...SHEETS.map(read)]);

/** Served modules by import name. Ours are `console/<file name>`. */
const modules: ReadonlyMap<string, Asset> = new Map([
  ...readdirSync(ASSETS)
    .filter((file) => file.endsWith('.js'))
    .map((file) => [`console/${file.slice(0, -3)}`, asset(file.slice(0, -3), 'js', read(file))] as const),
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

/** Returns the import map for an endpoint at path `base`, and its hash for the Content-Security-Policy. */
export function importMapOf(base: string): { text: string; hash: string } {
  const imports = Object.fromEntries([...modules.keys()].map((name) => [name, `${base}${modulePath(name)}`]));
  const text = JSON.stringify({ imports });
  return { text, hash: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}

export function assetRoutes(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const each of [style, mark, ...faces, ...modules.values()])
    router.get(`/-/assets/${each.file}`, (_request, response) => sendAsset(response, each));
  return router;
}
