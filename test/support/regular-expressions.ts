import { globSync, readFileSync } from 'node:fs';
import { typescriptLanguage } from '@codemirror/lang-javascript';

/** A regular expression of the source tree, and where it stands first. */
export interface Found {
  file: string;
  /** As in the source: `/^a+$/i`. */
  text: string;
  expression: RegExp;
}

const SOURCES = ['src/**/*.{ts,js,mjs}', 'sandbox/**/*.{ts,js,mjs}'];

/** The value of a string literal, which is written with single quotes here. */
const unquoted = (literal: string): string =>
  JSON.parse(`"${literal.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`);

function* expressionsIn(file: string): Generator<Found> {
  const source = readFileSync(file, 'utf8');
  const cursor = typescriptLanguage.parser.parse(source).cursor();
  let property = '';
  do {
    const text = source.slice(cursor.from, cursor.to);
    if (cursor.name === 'PropertyDefinition') property = text;
    // The value of `pattern` is a JSON Schema's: ajv compiles it with the flag `u`.
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

/** Every regular expression of `src/` and `sandbox/`, each once: literals, and patterns of schemas. */
export function regularExpressions(): Found[] {
  const found = new Map<string, Found>();
  for (const file of globSync(SOURCES))
    for (const one of expressionsIn(file)) if (!found.has(one.text)) found.set(one.text, one);
  return [...found.values()];
}

/** Text that a backtracking engine may try in many ways: a start, then one unit over and over, then an end. */
export interface Attack {
  prefix: string;
  unit: string;
  suffix: string;
}

export const textOf = ({ prefix, unit, suffix }: Attack, length: number): string =>
  prefix + unit.repeat(Math.ceil(length / unit.length)) + suffix;

/** One of each kind that expressions tell apart: a letter, a digit, white space, anything else. */
const KINDS = ['a', '0', ' ', '\n'];
const MAX_CHARACTERS = 14;

/** Characters that this expression may treat unlike others: those in its source, without its operators' meaning. */
function charactersOf({ source }: RegExp): string[] {
  const words = source.match(/[A-Za-z]{3,}/g) ?? [];
  const signs = source.replace(/\\[a-zA-Z]|[A-Za-z0-9]|[()|^$]/g, '').replaceAll('\\', '');
  const escaped = [...source.matchAll(/\\([()|^$\\])/g)].map(([, sign = '']) => sign);
  return [...new Set([...KINDS, ...escaped, ...signs, ...words])].slice(0, MAX_CHARACTERS);
}

/** All attacks whose start and unit are at most two of these characters. */
export function* attacksOn(expression: RegExp): Generator<Attack> {
  const characters = charactersOf(expression);
  const pairs = characters.flatMap((first) => characters.map((second) => first + second));
  const short = [...characters, ...pairs];
  for (const prefix of ['', ...short])
    for (const unit of short) for (const suffix of ['', '\u0000', ' a']) yield { prefix, unit, suffix };
}

/** Milliseconds of this thread's own work: what others do on the machine does not count. */
export function costOf(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  if (expression.global) text.replace(expression, '');
  else expression.test(text);
  expression.lastIndex = 0;
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
