import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellQuoted } from '../../src/base/shell.ts';

it.each([
  'read:orders',
  `it's $(date) \`date\` "$HOME" \\ !!`,
  'two\nlines',
  'https://a.example/\x15date\x0f\x1b[201~\x7f\u0080\u009b é',
])('quotes %j as one word without keys', (text) => {
  const word = shellQuoted(text);
  expect(word).not.toMatch(/[^\P{Cc}\n]/u);
  expect(execFileSync('bash', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text);
});
