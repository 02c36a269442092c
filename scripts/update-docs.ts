import { readFile, writeFile } from 'node:fs/promises';
import { DOCUMENTS_WITH_TABLES, withTables } from './support/contract-tables.ts';
import { errorPage } from './support/error-page.ts';

export const summary = 'Write docs/errors.md and the generated tables of other documents. Needs no running service.';

export async function run(): Promise<void> {
  for (const name of DOCUMENTS_WITH_TABLES) {
    const document = new URL(`../docs/${name}`, import.meta.url);
    await writeFile(document, withTables(await readFile(document, 'utf8')));
  }
  await writeFile(new URL('../docs/errors.md', import.meta.url), errorPage());
}
