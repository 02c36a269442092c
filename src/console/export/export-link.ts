import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';

export type ExportName = 'users' | 'impersonations' | 'audit-log';

/** Most rows of an export. */
export const MOST_ROWS = 10_000;

/** A link that downloads the list with its filters as CSV. It says so if there are more rows than an export has. */
export function exportLink({ to, query }: ConsoleRequest, name: ExportName, total: number): Html {
  const kept = new URLSearchParams(query);
  kept.delete('page');
  const most = total > MOST_ROWS && ` (first ${MOST_ROWS.toLocaleString('en')})`;
  return html`<a class="button" href="${to(`/-/export/${name}.csv?${kept}`)}" download>Export CSV${most}</a>`;
}
