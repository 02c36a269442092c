import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contractTables, DOCUMENTS_WITH_TABLES, withTables } from '../scripts/support/contract-tables.ts';
import { errorPage } from '../scripts/support/error-page.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../docs', file), 'utf8');

/** Lines that are missing in the page or stale in it. `npm run cli -- update-docs` brings them up to date. */
function differences(page: string, generated: string): string[] {
  const [before, after] = [page.split('\n'), generated.split('\n')];
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `stale:   ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `missing: ${line}`),
  ];
}

describe('generated documents', () => {
  it('docs/errors.md is the current error catalogue', () => {
    const page = read('errors.md');
    expect(differences(page, errorPage())).toEqual([]);
    expect(page === errorPage(), 'run npm run cli -- update-docs').toBe(true);
  });

  it('docs/errors.md names every OAuth error that the token service throws', () => {
    const root = join(import.meta.dirname, '..');
    const sources = globSync('src/{tokens,oidc}/**/*.ts', { cwd: root }).map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const codeOf = (name: string, code: string | undefined) => {
      if (name === 'OIDCProviderError') return code;
      return name === 'InvalidClientAuth' ? 'invalid_client' : name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
    };
    const thrown = sources.join('\n').matchAll(/new errors\.(\w+)\((?:\d+, '(\w+)')?/g);
    const codes = new Set([...thrown].map(([, name = '', code]) => codeOf(name, code)));
    expect(codes.size).toBeGreaterThan(7);
    const page = read('errors.md');
    expect([...codes].filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });

  it.each(DOCUMENTS_WITH_TABLES)('docs/%s has the current tables', (name) => {
    const page = read(name);
    expect(differences(page, withTables(page))).toEqual([]);
    expect(page === withTables(page), 'run npm run cli -- update-docs').toBe(true);
  });

  it('some document contains every generated table', () => {
    const pages = DOCUMENTS_WITH_TABLES.map(read).join('\n');
    const names = [...pages.matchAll(/<!-- generated: ([\w-]+) -->/g)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(Object.keys(contractTables).toSorted());
  });
});
