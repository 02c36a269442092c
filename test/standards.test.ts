import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Row {
  requirement: string;
  code: string;
  test: string;
  title?: string;
}

/** Returns the rows of docs/standards.md with code and test. */
function rows(): Row[] {
  const lines = read('docs/standards.md').matchAll(/^\| (.+?) \| .+? \| `(.+?)` \| `(.+?)`(?:: (.+?))? \|$/gm);
  return [...lines].map(([, requirement = '', code = '', test = '', title]) => ({
    requirement,
    code,
    test,
    ...(title !== undefined && { title }),
  }));
}

/** True if the file has a test with this title, in any kind of quotes. */
function hasTest(file: string, title: string): boolean {
  const source = read(file);
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
}

function staleness({ requirement, code, test, title }: Row): string[] {
  const where = `docs/standards.md, row "${requirement}"`;
  if (!existsSync(join(root, code))) return [`${where}: there is no file ${code}`];
  if (!existsSync(join(root, test))) return [`${where}: there is no file ${test}`];
  if (title !== undefined && !hasTest(test, title)) return [`${where}: ${test} has no test titled "${title}"`];
  return [];
}

it('names an existing file and an existing test for every requirement of docs/standards.md', () => {
  const found = rows();
  expect(found.length).toBeGreaterThan(60);
  expect(found.flatMap(staleness)).toEqual([]);
});

it('reads every row of a table with code and test', () => {
  const lines = read('docs/standards.md').match(/^\| .*`src\/.*\|$/gm) ?? [];
  expect(rows()).toHaveLength(lines.length);
});
