import pg from 'pg';
import sqlite3 from 'sqlite3';

/**
 * Loaded before the service with `--import`. Kills the process, as `kill -9` does, at the nth statement of a kind, set
 * by `KILL_AT=<point>:<n>`. The service contains no code for it.
 */
export const KILL_POINTS = ['before-commit', 'after-commit', 'before-settle', 'after-settle', 'migration'] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

/** A unit of work commits by itself. */
const COMMITS = /^commit|^insert into unit_|^with (change_0|event) as/i;

const STATEMENTS: Record<KillPoint, RegExp> = {
  'before-commit': COMMITS,
  'after-commit': COMMITS,
  'before-settle': /^insert into settle |^with settled as/i,
  'after-settle': /^insert into settle |^with settled as/i,
  migration: /^create (table|index|unique)/i,
};

const [point, count] = (process.env.KILL_AT ?? '').split(':') as [KillPoint | '', string];
let left = Number(count);

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // Blocks until the signal arrives, so that nothing else runs.
};

/** @returns the arguments; for an `after-…` point with a callback that kills once the statement has taken effect */
function watched(sql: unknown, args: unknown[]): unknown[] {
  if (point === '' || typeof sql !== 'string' || !STATEMENTS[point].test(sql.trim())) return args;
  left -= 1;
  if (left !== 0) return args;
  if (!point.startsWith('after')) return die();
  return args.map((arg) => (typeof arg === 'function' ? die : arg));
}

function patch(prototype: object, names: string[], sqlOf: (first: unknown, self: object) => unknown): void {
  const methods = prototype as Record<string, (...args: unknown[]) => unknown>;
  for (const name of names) {
    const original = methods[name];
    if (!original) throw new Error(`There is no method ${name} to watch.`);
    methods[name] = function (...args) {
      return original.apply(this, watched(sqlOf(args[0], this as object), args));
    };
  }
}

if (point !== '') {
  patch(pg.Client.prototype, ['query'], (first) => (first as { text?: string } | undefined)?.text ?? first);
  const texts = new WeakMap<object, unknown>();
  const { prepare } = sqlite3.Database.prototype;
  sqlite3.Database.prototype.prepare = function (this: sqlite3.Database, ...args: Parameters<typeof prepare>) {
    const statement = prepare.apply(this, args);
    texts.set(statement, args[0]);
    return statement;
  };
  patch(sqlite3.Statement.prototype, ['run', 'all'], (_, statement) => texts.get(statement));
}
