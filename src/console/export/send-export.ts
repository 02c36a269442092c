import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { ServiceError } from '../../errors.ts';
import { MAX_ITEMS } from '../parts/parts.ts';
import type { ConsoleRequest } from '../route.ts';
import { type Cell, lineOf } from './csv.ts';
import { type ExportName, MOST_ROWS } from './export-link.ts';
import { EXPORTS } from './exports.ts';

const isExport = (name: string): name is ExportName => Object.hasOwn(EXPORTS, name);

/** Reads a list page by page. A row that another one has moved to the next page meanwhile is returned once. */
async function* pagesOf(read: (page: { page: string; page_size: string }) => Promise<Cell[][]>) {
  const seen = new Set<Cell>();
  for (let page = 1; page <= MOST_ROWS / MAX_ITEMS; page += 1) {
    const rows = await read({ page: String(page), page_size: String(MAX_ITEMS) });
    const fresh = rows.filter(([id]) => !seen.has(id));
    for (const [id] of fresh) seen.add(id);
    yield fresh;
    if (rows.length < MAX_ITEMS) return;
  }
}

/**
 * Streams a list as CSV, so that only one page of it is in memory. If a page fails, the connection is closed, so that the
 * browser does not take the part for the whole.
 *
 * @throws 404 `request.not_found` for an unknown list
 */
export async function sendExport(response: Response, request: ConsoleRequest, name: string): Promise<void> {
  if (!isExport(name)) throw new ServiceError('request.not_found');
  const { columns, read } = EXPORTS[name];
  const pages = pagesOf((page) => read(request, page));
  const first = await pages.next(); // Before the headers, so that a refused filter is shown as a page.
  async function* lines() {
    yield [columns, ...(first.value ?? [])].map(lineOf).join('');
    for await (const rows of pages) yield rows.map(lineOf).join('');
  }
  const file = `${request.tenant.id}-${name}-${new Date(request.now).toISOString().slice(0, 10)}.csv`;
  response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }).attachment(file).type('csv');
  try {
    await pipeline(Readable.from(lines()), response);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error; // The administrator stopped the download.
  }
}
