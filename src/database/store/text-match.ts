import type { Fragment } from './fragment.ts';
import type { TenantStore } from './tenant-store.ts';

/**
 * Options of the text conditions below, which mean the same on both databases. Case is folded only in ASCII: SQLite
 * supports nothing else, and PostgreSQL does so with the collation "C", regardless of the server's locale.
 */
interface MatchOptions {
  isCaseSensitive: boolean;
}

/** Finds text anywhere in a column, also in one of JSON, in ASCII of any case. No index helps. */
export function contains(store: TenantStore, column: string, text: string): Fragment {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return store.kind === 'sqlite'
    ? store.fragment("?? like ? escape '\\'", [column, pattern])
    : store.fragment('lower(cast(?? as text) collate "C") like lower(? collate "C")', [column, pattern]);
}

/** Matches a pattern: `%` is any text, `_` any character, and `\` escapes the next one. */
export function like(store: TenantStore, column: string, pattern: string, { isCaseSensitive }: MatchOptions): Fragment {
  if (store.kind === 'sqlite') {
    // SQLite's LIKE always folds case and GLOB never does.
    return isCaseSensitive
      ? store.fragment('?? glob ?', [column, globOf(pattern)])
      : store.fragment("?? like ? escape '\\'", [column, pattern]);
  }
  return isCaseSensitive
    ? store.fragment('?? like ?', [column, pattern])
    : store.fragment('lower(?? collate "C") like lower(? collate "C")', [column, pattern]);
}

export function equals(
  store: TenantStore,
  column: string,
  values: string[],
  { isCaseSensitive }: MatchOptions,
): Fragment {
  const list = (value: string) => values.map(() => value).join(', ');
  if (isCaseSensitive) return store.fragment(`?? in (${list('?')})`, [column, ...values]);
  if (store.kind === 'sqlite') return store.fragment(`?? collate nocase in (${list('?')})`, [column, ...values]);
  return store.fragment(`lower(?? collate "C") in (${list('lower(? collate "C")')})`, [column, ...values]);
}

/** Matches with SIMILAR TO or a regular expression. PostgreSQL only. */
export function matches(
  store: TenantStore,
  column: string,
  pattern: string,
  { mode, isCaseSensitive }: MatchOptions & { mode: 'similar_to' | 'posix' },
): Fragment {
  if (mode === 'posix') return store.fragment(`?? ${isCaseSensitive ? '~' : '~*'} ?`, [column, pattern]);
  return isCaseSensitive
    ? store.fragment('?? similar to ?', [column, pattern])
    : store.fragment('lower(?? collate "C") similar to lower(? collate "C")', [column, pattern]);
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
