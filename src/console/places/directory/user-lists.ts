import type { Html } from '../../../pages/html.ts';
import { html } from '../../../pages/html.ts';
import { type Column, countOf, pageQuery, pager, section, table } from '../../parts/parts.ts';
import { type ConsoleRequest, fillPath, type Page, page, type Route } from '../../route.ts';

/** A request of a user's page, or of a page below it. */
export type AtUser = ConsoleRequest<{ userId: string }>;

export const USER = '/directory/users/:userId';

/** Path of the user's page. */
export const userPath = ({ params }: AtUser): string => fillPath(USER, params);

/** Rows of a list in a section of the user's page. The others are on a page of their own. */
const FIRST_ROWS = 5;

type PageQuery = ReturnType<typeof pageQuery>;

/** A list of a user that can be long: a section of the user's page with its first rows, and a page with all of them. */
export interface UserList<Row> {
  title: string;
  lead?: string;
  /** Shown if there are no rows. */
  empty: string;
  /** Path of the page with all rows. */
  all(request: AtUser): string;
  read(request: AtUser, query: PageQuery): Promise<{ rows: Row[]; total: number }>;
  columns(request: AtUser, rows: Row[]): Promise<Column<Row>[]> | Column<Row>[];
}

async function tableOf<Row>({ title, empty, columns }: UserList<Row>, request: AtUser, rows: Row[]): Promise<Html> {
  if (rows.length === 0) return html`<p class="quiet">${empty}</p>`;
  return table({ caption: title, rows, empty, columns: await columns(request, rows) });
}

/** The section of the user's page. */
export async function listSection<Row>(list: UserList<Row>, request: AtUser): Promise<Html> {
  const { title, lead, all } = list;
  const { rows, total } = await list.read(request, { page: '1', page_size: String(FIRST_ROWS) });
  const more =
    total > rows.length &&
    html`<a class="button compact" href="${request.to(all(request))}">Show all ${countOf(total, 'row')}<span class="unseen"> of ${title}</span></a>`;
  return section(title, await tableOf(list, request, rows), { lead, actions: more });
}

/** The page with all rows, for a list whose rows are on no other page. */
export function listRoute<Row>(path: `${typeof USER}/${string}`, list: UserList<Row>): Route {
  async function show(request: AtUser): Promise<Page> {
    const { rows, total } = await list.read(request, pageQuery(request));
    return {
      title: list.title,
      lead: list.lead,
      back: { path: userPath(request), label: 'User' },
      content: html`${await tableOf(list, request, rows)}${pager(request, total)}`,
    };
  }
  return page(path, show);
}
