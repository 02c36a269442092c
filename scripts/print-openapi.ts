import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../src/http/openapi/openapi.ts';
import { operations } from '../src/management/index.ts';

export const summary =
  'Print the OpenAPI document of the Management API, including its events. Needs no running service.';

export async function run(): Promise<void> {
  const manifest = await readFile(join(import.meta.dirname, '../package.json'), 'utf8');
  console.log(JSON.stringify(openApiDocument(operations, JSON.parse(manifest).version), null, 2));
}
