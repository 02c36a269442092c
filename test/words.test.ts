import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Prose, proseOfCode, proseOfMarkdown } from './support/prose.ts';

/** Files whose prose is checked: plain American English, as CONTRIBUTING.md asks for. */
const COVERED = ['{src,sandbox,scripts,examples}/**/*.{ts,js,mjs,cjs,md}', 'test/**/*.{ts,mjs}', 'docs/*.md', '*.md'];

interface Rule {
  pattern: RegExp;
  advice: string;
  only?: Prose['kind'][];
}

/** Sentences begin at the start of the text or after a full stop, a question mark or a semicolon. */
const opening = (words: string): RegExp => new RegExp(`(?:^|[.?!;] )(?:- |\\* |> )?(?:${words})\\b`);

const RULES: Rule[] = [
  { pattern: opening('Of|Whoever|Whatever|Whichever|Whom|By so'), advice: 'start with the subject of the sentence' },
  {
    pattern: opening('What|Whether|Who|Whose|As whom|For whom|After which|With which'),
    advice: 'start with a noun or a verb: "Returns…", "True if…", "The…"',
    only: ['comment'],
  },
  { pattern: /\bwho(?:so)?ever\b/i, advice: 'name the role: the caller, the user, the actor' },
  { pattern: /\b(?:some|every|no)body\b/i, advice: 'name the role: the caller, a user, an administrator' },
  { pattern: /\bstrangers?\b/i, advice: 'anonymous caller, unauthenticated request' },
  { pattern: /\bthe losers?\b/i, advice: 'begin the sentence with "Rejected:" and give the figure' },
  { pattern: /\bby so many\b|\bthereof\b|\bas it stands\b|\bmends?\b|\bmended\b/i, advice: 'use the common word' },
  {
    pattern: /\b(?:is|are) told of\b|\bis kept nowhere\b|\bis taken for\b/i,
    advice: 'receives, is never stored, counts as',
  },
  {
    pattern:
      /\bthe contract, section\b|\bsection \d of the contract\b|\bcontract, section\b|\btables? 6\.\d|\bthe specification['’]?s?\b|\bsection 6\.\d/i,
    advice: 'refer to docs/wire-contract.md, which is in this repository',
  },
];

const violationsOf = (prose: Prose[]): string[] =>
  prose.flatMap(({ kind, line, text }) =>
    RULES.filter(({ pattern, only }) => (!only || only.includes(kind)) && pattern.test(text)).map(
      ({ pattern, advice }) =>
        `line ${line}: "${pattern.exec(text)?.[0].trim()}" in "${text.slice(0, 120)}": ${advice}`,
    ),
  );

const root = dirname(import.meta.dirname);
const files = COVERED.flatMap((pattern) =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules', '**/*.min.js'] }),
).sort();
const proseOf = (file: string) => {
  const source = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.md') ? proseOfMarkdown(source) : proseOfCode(source);
};

describe('plain words', () => {
  it.each(files.filter((file) => !file.endsWith('words.test.ts')))('are used in %s', (file) => {
    expect(violationsOf(proseOf(file))).toEqual([]);
  });

  it('are required in comments, test titles and Markdown', () => {
    const code = [
      '/** Of those that hold the token, one. */',
      '// Returns a token. Whoever holds it may act.',
      '/** @param ms whether it ended */',
      '/** Counts requests. The loser, a queue, took 4 ms. */',
      "it('tells nobody', () => {});",
      'const fine = 1; // Returns what the caller sent, with `nobody` as the user.',
    ].join('\n');
    expect(violationsOf(proseOfCode(code)).map((violation) => violation.split(':')[0])).toEqual([
      'line 1',
      'line 2',
      'line 2',
      'line 4',
      'line 5',
    ]);
    const page = ['Whoever asks, waits.', '```', 'Whoever', '```', '| a | Strangers |', '## What you need'].join('\n');
    expect(violationsOf(proseOfMarkdown(page)).map((violation) => violation.split(':')[0])).toEqual([
      'line 1',
      'line 1',
      'line 5',
    ]);
  });
});
