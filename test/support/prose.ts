import { typescriptLanguage } from '@codemirror/lang-javascript';

/** A piece of prose in a file: a comment, a test title or a line of Markdown. */
export interface Prose {
  kind: 'comment' | 'title' | 'markdown';
  line: number;
  text: string;
}

const TITLE = /\b(?:it|describe|test)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`])(.*?)\1,/g;
const EACH_TITLE = /^\s*\]\)\((['"`])(.*?)\1,/gm;

const lineAt = (source: string, position: number): number => source.slice(0, position).split('\n').length;

/** Code spans are names, not prose. */
const withoutCode = (text: string): string => text.replace(/`[^`]*`/g, '`…`');

/** Returns the words of a comment without its delimiters. */
const wordsOf = (comment: string): string =>
  comment
    .replace(/^\/\*\*?|^\/\/\s?|\*\/$/g, '')
    .replace(/\s*\n\s*(?:\*(?!\/))?\s*/g, ' ')
    .replace(/@\w+ (?:\{[^}]*\} ?)?/g, '. ')
    .trim();

function commentsOf(source: string): Prose[] {
  const found: Prose[] = [];
  const cursor = typescriptLanguage.parser.parse(source).cursor();
  do {
    if (!cursor.name.endsWith('Comment')) continue;
    const text = withoutCode(wordsOf(source.slice(cursor.from, cursor.to)));
    found.push({ kind: 'comment', line: lineAt(source, cursor.from), text });
  } while (cursor.next());
  return found;
}

/** Returns the comments and test titles of a source file. */
export function proseOfCode(source: string): Prose[] {
  const titles = [...source.matchAll(TITLE), ...source.matchAll(EACH_TITLE)].map(
    (match): Prose => ({ kind: 'title', line: lineAt(source, match.index), text: withoutCode(match[2] ?? '') }),
  );
  return [...commentsOf(source), ...titles];
}

/** Returns the lines of a Markdown file without its code blocks. Table cells are lines of their own. */
export function proseOfMarkdown(source: string): Prose[] {
  let isCode = false;
  return source.split('\n').flatMap((text, index): Prose[] => {
    if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode;
    if (isCode) return [];
    const parts = text.startsWith('|') ? text.split('|') : [text];
    return parts.map((part) => ({ kind: 'markdown', line: index + 1, text: withoutCode(part.trim()) }));
  });
}
