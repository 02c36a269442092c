import { createHash } from 'node:crypto';
import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';

const digestOf = (id: string, { text }: Html): string =>
  createHash('sha256').update(`${id}\n${text}`).digest('base64url').slice(0, 12);

/**
 * A part of a page that refreshes itself. Its `data-live` is a digest of its content. When the browser refreshes the page
 * it sends the digests that it shows, and a part with one of them is sent empty, so only what changed is sent.
 */
export function livePart(request: ConsoleRequest, id: string, content: Html, tag: 'div' | 'tbody' = 'div'): Html {
  const digest = digestOf(id, content);
  const inner = request.shown.has(digest) ? false : content;
  return tag === 'tbody'
    ? html`<tbody id="${id}" data-live="${digest}">${inner}</tbody>`
    : html`<div id="${id}" data-live="${digest}">${inner}</div>`;
}

/** The request header with the digests of the parts that the page shows. It marks a refresh. */
export const SHOWN_HEADER = 'x-shown';
/** A page has fewer parts. */
const MAX_SHOWN = 100;

export const shownIn = (header: string | undefined): ReadonlySet<string> =>
  new Set(header?.split(',').slice(0, MAX_SHOWN));
