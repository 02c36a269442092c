import { globSync, readFileSync } from 'node:fs';
import { typescriptLanguage } from '@codemirror/lang-javascript';

/** A regular expression of the source tree and its first location. */
export interface Found {
  file: string;
  /** The text in the source: `/^a+$/i`. */
  text: string;
  expression: RegExp;
}

const SOURCES = ['src/**/*.{ts,js,mjs}', 'sandbox/**/*.{ts,js,mjs}'];

/** Returns the value of a string literal with single quotes. */
const unquoted = (literal: string): string =>
  JSON.parse(`"${literal.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`);

function* expressionsIn(file: string): Generator<Found> {
  const source = readFileSync(file, 'utf8');
  const cursor = typescriptLanguage.parser.parse(source).cursor();
  let property = '';
  do {
    const text = source.slice(cursor.from, cursor.to);
    if (cursor.name === 'PropertyDefinition') property = text;
    // The value of `pattern` in a JSON Schema, which ajv compiles with the flag `u`.
    if (cursor.name === 'String' && property === 'pattern') {
      const expression = new RegExp(unquoted(text), 'u');
      yield { file, text: String(expression), expression };
    }
    if (cursor.name === 'String') property = '';
    if (cursor.name !== 'RegExp') continue;
    const end = text.lastIndexOf('/');
    yield { file, text, expression: new RegExp(text.slice(1, end), text.slice(end + 1)) };
  } while (cursor.next());
}

/** Returns every regular expression of `src/` and `sandbox/` once: literals, and patterns of schemas. */
export function regularExpressions(): Found[] {
  const found = new Map<string, Found>();
  for (const file of globSync(SOURCES, { exclude: ['**/*.min.js'] }))
    for (const one of expressionsIn(file)) if (!found.has(one.text)) found.set(one.text, one);
  return [...found.values()];
}

/** Text that may cause backtracking: a start, then a repeated unit, then an end. */
export interface Attack {
  prefix: string;
  unit: string;
  suffix: string;
}

export const textOf = ({ prefix, unit, suffix }: Attack, length: number): string =>
  prefix + unit.repeat(Math.ceil(length / unit.length)) + suffix;

/** One character of each kind that expressions distinguish: a letter, a digit, white space, punctuation. */
const KINDS = ['a', '0', ' ', '\n'];
const MAX_CHARACTERS = 14;

/** Returns the characters that this expression may treat specially: those in its source without its operators. */
function charactersOf({ source }: RegExp): string[] {
  const words = source.match(/[A-Za-z]{3,}/g) ?? [];
  const signs = source.replace(/\\[a-zA-Z]|[A-Za-z0-9]|[()|^$]/g, '').replaceAll('\\', '');
  const escaped = [...source.matchAll(/\\([()|^$\\])/g)].map(([, sign = '']) => sign);
  return [...new Set([...KINDS, ...escaped, ...signs, ...words])].slice(0, MAX_CHARACTERS);
}

/** Yields all attacks whose start and unit have at most two of these characters, in groups that differ in their end. */
export function* attacksOn(expression: RegExp): Generator<Attack[]> {
  const characters = charactersOf(expression);
  const pairs = characters.flatMap((first) => characters.map((second) => first + second));
  const short = [...characters, ...pairs];
  for (const prefix of ['', ...short])
    for (const unit of short) yield ['', '\u0000', ' a'].map((suffix) => ({ prefix, unit, suffix }));
}

/** Returns the CPU milliseconds of this thread for these texts, so that other processes do not matter. */
export function costOf(expression: RegExp, texts: string[]): number {
  const before = process.threadCpuUsage();
  for (const text of texts) {
    if (expression.global) text.replace(expression, '');
    else expression.test(text);
    expression.lastIndex = 0;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
