/** The kind of a database error. Used as a metric label: never rename. */
export type ErrorClass =
  | 'busy'
  | 'connection'
  | 'constraint'
  | 'full'
  | 'pool'
  | 'read_only'
  | 'timeout'
  | 'undone'
  | 'other';

/** Maps SQLite codes, PostgreSQL's SQLSTATE codes and classes, and socket errors. The first match wins. */
const CLASSES: [RegExp, ErrorClass][] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [/^(SQLITE_CONSTRAINT|23)/, 'constraint'],
  [/^(SQLITE_FULL|53100)/, 'full'],
  [/^(SQLITE_READONLY|25006)/, 'read_only'],
  [/^(57014|55P03|25P0[34])/, 'timeout'],
  [/^40/, 'undone'],
  [/^(08|53300|57P|E[A-Z]+$)/, 'connection'],
];

export function errorClassOf(error: unknown): ErrorClass {
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (name === 'KnexTimeoutError') return 'pool';
  if (/timeout expired|Connection (terminated|ended)|not queryable/.test(message)) return 'connection'; // pg gives these no code.
  return CLASSES.find(([pattern]) => pattern.test(code))?.[1] ?? 'other';
}
