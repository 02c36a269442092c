import { errorPage } from './support/error-page.ts';

export const summary =
  'Print every error code with its status, its meaning and its remedy: the text of docs/errors.md.';

export async function run(): Promise<void> {
  process.stdout.write(errorPage());
}
