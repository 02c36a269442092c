import type { Condition, Rows, TenantStore } from '../../database/store/tenant-store.ts';
import { like } from '../../database/store/text-match.ts';
import type { Tables } from '../../database/tables/index.ts';
import type { Listed, Page } from '../../http/operations/operation.ts';

type Identified = { [T in keyof Tables]: Tables[T] extends { id: string } ? T : never }[keyof Tables];

export interface Listing {
  page: Page | undefined;
  /** Columns that an index holds after the tenant, so that an offset walks the index alone. */
  order: { column: string; order?: 'asc' | 'desc' }[];
  where?: Condition;
}

/** Newest first; the id makes the order total, so that no row is on two pages. */
export const newestFirst: Listing['order'] = [
  { column: 'createdAt', order: 'desc' },
  { column: 'id', order: 'desc' },
];
export const byName: Listing['order'] = [{ column: 'name' }];

/**
 * The rows of one page, or all of them. The page's ids are found first, on the index; the whole rows are then read by
 * those few ids.
 *
 * Rejected: an offset over whole rows, which reads every row it skips; and a plain join, for which SQLite walks all
 * rows of the tenant in the order asked for and looks each up among the ids.
 */
export async function list<T extends Identified>(
  store: TenantStore,
  table: T,
  { page, order, where }: Listing,
): Promise<Listed<Tables[T]>> {
  const matching = (): Rows<T> => {
    const query = store.from(table);
    where?.(query);
    return query;
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

/** The same page with other rows. */
export async function mapped<T, U>({ rows, total }: Listed<T>, map: (rows: T[]) => Promise<U[]>): Promise<Listed<U>> {
  return { rows: await map(rows), total };
}

/** `q` of organizations and their roles and scopes: contains, ASCII case folded on both databases. */
export function containing(store: TenantStore, columns: string[], text: string | undefined): Condition {
  return (query) => {
    if (text === undefined || text === '') return;
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
    query.andWhere((any) => {
      for (const column of columns) any.orWhere(like(store, column, pattern, { isCaseSensitive: false }));
    });
  };
}
