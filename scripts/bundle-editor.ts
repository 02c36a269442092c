import { writeFile } from 'node:fs/promises';

export const summary =
  'Write the bundle of the script editor after a version of CodeMirror changed. Needs a development install.';

export async function run(): Promise<void> {
  const { bundleEditor, bundleFile } = await import('./support/editor-bundle.ts'); // Here, because production has no bundler.
  await writeFile(bundleFile, await bundleEditor());
}
