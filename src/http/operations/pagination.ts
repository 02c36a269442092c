import type { Request, Response } from 'express';
import { ServiceError } from '../../errors.ts';

/** The requested page. `offset` and `limit` are in rows. */
export interface PageRequest {
  number: number;
  size: number;
  offset: number;
  limit: number;
}

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
const INVALID = `page and page_size must be positive integers, and page_size at most ${MAX_PAGE_SIZE}.`;
/** Keeps the offset exact as a double. No list is this long. */
const MAX_PAGE = 2 ** 31;

function positive(value: unknown, fallback: number, most: number): number {
  if (value === undefined) return fallback;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > most) throw new ServiceError('guard.invalid_pagination', { message: INVALID });
  return number;
}

/** @throws 400 `guard.invalid_pagination` */
export function readPage(query: Record<string, unknown>, mode: 'always' | 'optional'): PageRequest | undefined {
  const { page, page_size: pageSize } = query;
  if (mode === 'optional' && page === undefined && pageSize === undefined) return undefined;
  const number = positive(page, 1, MAX_PAGE);
  const size = positive(pageSize, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  return { number, size, offset: (number - 1) * size, limit: size };
}

/** Sets `Total-Number` and `Link` (RFC 8288), whose absolute URLs keep the other parameters. */
export function writePageHeaders(
  request: Request,
  response: Response,
  origin: string,
  page: PageRequest,
  total: number,
): void {
  const last = Math.max(1, Math.ceil(total / page.size));
  const [path = '', search = ''] = request.originalUrl.split('?');
  const link = (number: number, relation: string) => {
    const parameters = new URLSearchParams(search);
    parameters.set('page', String(number));
    parameters.set('page_size', String(page.size));
    return `<${origin}${path}?${parameters}>; rel="${relation}"`;
  };
  const links = [link(1, 'first')];
  if (page.number > 1) links.push(link(Math.min(page.number - 1, last), 'prev'));
  if (page.number < last) links.push(link(page.number + 1, 'next'));
  links.push(link(last, 'last'));
  response.setHeader('Total-Number', String(total));
  response.setHeader('Link', links.join(', '));
}
