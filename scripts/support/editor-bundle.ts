import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';

/** The bundle in the repository, which the console serves. */
export const bundleFile = join(import.meta.dirname, '../../src/console/assets/codemirror.min.js');

const ENTRY = join(import.meta.dirname, 'codemirror.js');

/** `/…/node_modules/@codemirror/view/dist/index.js` → the folder of the package */
const packageOf = (module: string): string | undefined =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/'))?.[0];

/** Returns the names and versions of the packages in a bundle, and their license, which must accompany each copy. */
async function noticeOf(modules: readonly string[]): Promise<string> {
  const folders = [...new Set(modules.map(packageOf))].filter((folder) => folder !== undefined).sort();
  const names: string[] = [];
  const copyrights = new Set<string>();
  const terms = new Set<string>();
  for (const folder of folders) {
    const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const license = (await readFile(join(folder, 'LICENSE'), 'utf8')).replace(/^MIT License\n/, '').trim();
    names.push(`${name} ${version}`);
    for (const [line] of license.matchAll(/^Copyright .+$/gm)) copyrights.add(line);
    terms.add(license.replace(/^Copyright .+$/gm, '').trim());
  }
  if (terms.size !== 1) throw new Error('The packages of the bundle no longer have the same license.');
  return `/*!\nWritten by \`npm run cli -- bundle-editor\`.\n\n${names.join('\n')}\n\n${[...copyrights].join('\n')}\n\n${[...terms].join('')}\n*/\n`;
}

/** Bundles and minifies the parts of CodeMirror that the script editor uses. */
export async function bundleEditor(): Promise<string> {
  const output = { format: 'esm', minify: true, comments: false } as const;
  const { output: chunks } = await build({ input: ENTRY, platform: 'browser', write: false, output });
  const [{ code, moduleIds }] = chunks;
  return `${await noticeOf(moduleIds)}${code.trim()}\n`;
}
