import type { Knex } from 'knex';
import type { TenantStore } from './tenant-store.ts';

/**
 * Conditions on text that mean the same on both databases. Case is folded in ASCII alone: SQLite
 * knows no other, and on PostgreSQL the collation "C" does the same whatever the server's locale.
 */
interface Options {
  isCaseSensitive: boolean;
}

/** `%` any text, `_` any character, `\` takes the next one literally. */
export function like(store: TenantStore, column: string, pattern: string, { isCaseSensitive }: Options): Knex.Raw {
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

export function equals(store: TenantStore, column: string, values: string[], { isCaseSensitive }: Options): Knex.Raw {
  const list = (value: string) => values.map(() => value).join(', ');
  if (isCaseSensitive) return store.raw(`?? in (${list('?')})`, [column, ...values]);
  if (store.kind === 'sqlite') return store.raw(`?? collate nocase in (${list('?')})`, [column, ...values]);
  return store.raw(`lower(?? collate "C") in (${list('lower(? collate "C")')})`, [column, ...values]);
}

/** PostgreSQL's SIMILAR TO and its regular expressions; SQLite has neither. */
export function matches(
  store: TenantStore,
  column: string,
  pattern: string,
  { mode, isCaseSensitive }: Options & { mode: 'similar_to' | 'posix' },
): Knex.Raw {
  if (mode === 'posix') return store.raw(`?? ${isCaseSensitive ? '~' : '~*'} ?`, [column, pattern]);
  return isCaseSensitive
    ? store.raw('?? similar to ?', [column, pattern])
    : store.raw('lower(?? collate "C") similar to lower(? collate "C")', [column, pattern]);
}

/** `*`, `?` and `[` are GLOB's own; `[*]` means the character. */
function globOf(pattern: string): string {
  return pattern.replace(/\\(.)|[%_*?[]/gsu, (found, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    if (found === '%') return '*';
    return found === '_' ? '?' : literal(found);
  });
}

const literal = (character: string): string => (/[*?[]/.test(character) ? `[${character}]` : character);
