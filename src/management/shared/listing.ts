import Type, { type Static, type TSchema } from 'typebox';
import type { Condition, Rows, TenantStore } from '../../database/store/tenant-store.ts';
import { contains } from '../../database/store/text-match.ts';
import type { Tables } from '../../database/tables/index.ts';
import type { Errors, Listed, PageRequest } from '../../http/operations/operation.ts';
import { optional } from './fields.ts';

type Identified = { [T in keyof Tables]: Tables[T] extends { id: string } ? T : never }[keyof Tables];

export interface Listing {
  page: PageRequest | undefined;
  /** Columns that follow the tenant in an index, so that an offset only reads the index. */
  order: { column: string; order?: 'asc' | 'desc' }[];
  where?: Condition;
  /** A further condition, which no index helps. It is checked on the newest rows that match `where`. */
  amongNewest?: Condition | undefined;
}

/** Most rows on which a condition is checked that no index helps. */
const MOST_SEARCHED = 10_000;

/** The description of a parameter that no index helps. */
export const amongNewest = (what: string): string =>
  `${what}, among the newest ${MOST_SEARCHED.toLocaleString('en')} that match the other parameters`;

/** The parameter of a text search in a list that grows without end. */
export const TextIn = (what: string) => Type.String({ maxLength: 128, description: amongNewest(`Text in ${what}`) });

/** The parameter of the direction of a list. */
export const Order = Type.Enum(['newest', 'oldest'], { type: 'string', description: 'Default: newest' });

/** The order by a time, which the id makes total, so that no row is on two pages. */
export function byTime(column: string, order: Static<typeof Order> | undefined): Listing['order'] {
  const direction = order === 'oldest' ? 'asc' : 'desc';
  return [
    { column, order: direction },
    { column: 'id', order: direction },
  ];
}

export const newestFirst = byTime('createdAt', 'newest');
export const byName: Listing['order'] = [{ column: 'name' }];

/**
 * Returns the rows of one page, or all rows. It finds the page's ids on the index first and then reads only those rows.
 *
 * Rejected: an offset over whole rows, which reads every skipped row, and a plain join, for which SQLite walks all rows
 * of the tenant in the requested order and looks up each of them among the ids.
 */
export async function list<T extends Identified>(
  store: TenantStore,
  table: T,
  { page, order, where, amongNewest }: Listing,
): Promise<Listed<Tables[T]>> {
  const matching = (): Rows<T> => {
    const query = store.from(table);
    where?.(query);
    if (!amongNewest) return query;
    const newest = query.select('id').orderBy(order.map(({ column }) => ({ column, order: 'desc' })));
    return store.from(table).whereIn('id', newest.limit(MOST_SEARCHED)).andWhere(amongNewest) as Rows<T>;
  };
  if (!page) {
    const rows = (await matching().orderBy(order)) as Tables[T][];
    return { rows, total: rows.length };
  }
  const ids = matching().select('id').orderBy(order).limit(page.limit).offset(page.offset);
  const [rows, [counted]] = await Promise.all([
    store.byIds(table, ids).orderBy(order.map(({ column, order }) => ({ column: `${table}.${column}`, order }))),
    matching().count({ total: '*' }),
  ]);
  return { rows: rows as Tables[T][], total: (counted as { total: number }).total };
}

type OfOne = { params: { id: string }; store: TenantStore };

/** Returns the definition of the operation that gets a row by its id alone. */
export const byId = <T extends Identified, Returns extends TSchema>(table: T, summary: string, returns: Returns) => ({
  summary,
  role: 'viewer' as const,
  status: 200,
  returns,
  errors: ['entity.not_exists_with_id'] satisfies Errors,
  run: ({ params: { id }, store }: OfOne) => store.get(table as Identified, { id }) as Promise<Tables[T]>,
});

/** Returns the definition of the operation that deletes a row by its id alone. */
export const removal = (table: Identified, summary: string) => ({
  summary,
  role: 'editor' as const,
  status: 204,
  errors: ['entity.not_found'] satisfies Errors,
  run: ({ params: { id }, store }: OfOne) => store.remove(table, { id }),
});

/** Returns the same page with each row mapped. */
export async function mapped<T, U>({ rows, total }: Listed<T>, map: (rows: T[]) => Promise<U[]>): Promise<Listed<U>> {
  return { rows: await map(rows), total };
}

/** The columns that `q` searches, except for users. */
export const TEXTS = ['id', 'name', 'description'];
export const TextQuery = optional({
  q: Type.String({ description: 'Text to search for in id, name and description' }),
});

/** Returns the condition of `q`, a substring search that ignores ASCII case on both databases. */
export function containing(store: TenantStore, columns: string[], text: string | undefined): Condition {
  return (query) => {
    if (text === undefined || text === '') return;
    query.andWhere((any) => {
      for (const column of columns) any.orWhere(contains(store, column, text));
    });
  };
}
