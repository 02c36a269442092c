import { readFile, writeFile } from 'node:fs/promises';
import { withTables } from './support/contract-tables.ts';
import { errorPage } from './support/error-page.ts';

export const summary =
  'Write docs/errors.md and the generated tables of docs/wire-contract.md. Needs no running service.';

export async function run(): Promise<void> {
  const contract = new URL('../docs/wire-contract.md', import.meta.url);
  await writeFile(contract, withTables(await readFile(contract, 'utf8')));
  await writeFile(new URL('../docs/errors.md', import.meta.url), errorPage());
}
