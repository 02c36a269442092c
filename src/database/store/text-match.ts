import type { Knex } from 'knex';
import type { TenantStore } from './tenant-store.ts';

/**
 * Options of the text conditions below, which mean the same on both databases. Case is folded only in ASCII: SQLite
 * supports nothing else, and PostgreSQL does so with the collation "C", regardless of the server's locale.
 */
interface MatchOptions {
  isCaseSensitive: boolean;
}

/** Matches a pattern: `%` is any text, `_` any character, and `\` escapes the next one. */
export function like(store: TenantStore, column: string, pattern: string, { isCaseSensitive }: MatchOptions): Knex.Raw {
  if (store.kind === 'sqlite') {
    // SQLite's LIKE always folds case and GLOB never does.
    return isCaseSensitive
      ? store.raw('?? glob ?', [column, globOf(pattern)])
      : store.raw("?? like ? escape '\\'", [column, pattern]);
  }
  return isCaseSensitive
    ? store.raw('?? like ?', [column, pattern])
    : store.raw('lower(?? collate "C") like lower(? collate "C")', [column, pattern]);
}

export function equals(
  store: TenantStore,
  column: string,
  values: string[],
  { isCaseSensitive }: MatchOptions,
): Knex.Raw {
  const list = (value: string) => values.map(() => value).join(', ');
  if (isCaseSensitive) return store.raw(`?? in (${list('?')})`, [column, ...values]);
  if (store.kind === 'sqlite') return store.raw(`?? collate nocase in (${list('?')})`, [column, ...values]);
  return store.raw(`lower(?? collate "C") in (${list('lower(? collate "C")')})`, [column, ...values]);
}

/** Matches with SIMILAR TO or a regular expression. PostgreSQL only. */
export function matches(
  store: TenantStore,
  column: string,
  pattern: string,
  { mode, isCaseSensitive }: MatchOptions & { mode: 'similar_to' | 'posix' },
): Knex.Raw {
  if (mode === 'posix') return store.raw(`?? ${isCaseSensitive ? '~' : '~*'} ?`, [column, pattern]);
  return isCaseSensitive
    ? store.raw('?? similar to ?', [column, pattern])
    : store.raw('lower(?? collate "C") similar to lower(? collate "C")', [column, pattern]);
}

/** Converts a LIKE pattern to GLOB, where `*`, `?` and `[` are special, and `[*]` is a literal. */
function globOf(pattern: string): string {
  return pattern.replace(/\\(.)|[%_*?[]/gsu, (found, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    if (found === '%') return '*';
    return found === '_' ? '?' : literal(found);
  });
}

const literal = (character: string): string => (/[*?[]/.test(character) ? `[${character}]` : character);
