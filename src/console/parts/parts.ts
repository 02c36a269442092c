import { type Html, html } from '../../pages/html.ts';
import type { Visit } from '../route.ts';

type Content = Html | string | number | false | null | undefined;

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

function ago(time: number, now: number): string {
  for (const [unit, size] of UNITS) {
    if (Math.abs(time - now) >= size) return relative.format(Math.trunc((time - now) / size), unit);
  }
  return time > now ? 'in less than a minute' : 'just now';
}

/** A time as people say it; the exact one on hover and for programs. */
export function when(time: number | string | null | undefined, now: number): Html {
  if (time === null || time === undefined) return html`<span class="quiet">never</span>`;
  const date = new Date(time);
  return html`<time datetime="${date.toISOString()}" title="${exact.format(date)} UTC">${ago(date.getTime(), now)}</time>`;
}

/** State is never colour alone: a dot with its name. */
export const state = (kind: 'ok' | 'warn' | 'bad' | 'info' | 'off', label: string): Html =>
  html`<span class="state ${kind}">${label}</span>`;

/** To be copied with one click. The button appears with the script that makes it work. */
export const copyable = (text: string): Html =>
  html`<span class="copyable"><code class="mono">${text}</code><button type="button" class="copy" hidden data-copy="${text}" aria-label="Copy ${text}"></button></span>`;

export const note = (kind: 'ok' | 'bad' | 'warn' | 'info', content: Content): Html =>
  html`<div class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${content}</div>`;

/** One click away from the page that it is behind. */
export const rawJson = (value: unknown): Html => {
  const text = JSON.stringify(value, null, 2);
  return html`<details class="raw"><summary>JSON</summary><div class="raw-body"><button type="button" class="button compact" hidden data-copy="${text}">Copy</button><pre class="mono" tabindex="0">${text}</pre></div></details>`;
};

export const section = (
  title: string,
  content: Content,
  { lead, actions }: { lead?: Content; actions?: Content } = {},
): Html =>
  html`<section class="section"><div class="row"><h2>${title}</h2>${actions}</div>${lead && html`<p class="quiet">${lead}</p>`}${content}</section>`;

/** What a thing is, line by line. Nothing is left out silently: what is absent says so. */
export const facts = (pairs: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${pairs.map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${value === null || value === undefined || value === '' ? html`<span class="quiet">none</span>` : value}</dd></div>`,
  )}</dl>`;

export interface Column<T> {
  label: string;
  /** The first column's is the thing's name, as a link. */
  cell: (row: T) => Content;
  isNumber?: boolean;
}

interface TableParts<T> {
  /** For those who do not see the heading above it. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** One sentence, and the action that fills it. */
  empty: Content;
}

/** On a phone each row becomes two lines: the name, and the rest. */
export function table<T>({ caption, columns, rows, empty }: TableParts<T>): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const head = columns.map(
    ({ label, isNumber }) => html`<th scope="col"${isNumber && html` class="number"`}>${label}</th>`,
  );
  const body = rows.map((row) => {
    const [first, ...rest] = columns;
    const others = rest.map(
      ({ label, cell, isNumber }) =>
        html`<td data-label="${label}"${isNumber && html` class="number"`}>${cell(row)}</td>`,
    );
    return html`<tr><th scope="row">${first?.cell(row)}</th>${others}</tr>`;
  });
  return html`<div class="table-frame"><table><caption class="unseen">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Rows of one page of a list. */
export const PAGE_SIZE = 20;

/** Which page the address asks for, as rows of the Management API take it. */
export const pageQuery = ({ query }: Visit): { page: string; page_size: string } => ({
  page: /^[1-9]\d{0,6}$/.exec(query.get('page') ?? '')?.[0] ?? '1',
  page_size: String(PAGE_SIZE),
});

/** Back and forth through a list; the other parameters stay. */
export function pager(visit: Visit, total: number): Html | false {
  const current = Number(pageQuery(visit).page);
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (last === 1 && current === 1) return false;
  const link = (page: number, label: string): Html => {
    if (page < 1 || page > last) return html`<span class="button compact" aria-disabled="true">${label}</span>`;
    const query = new URLSearchParams(visit.query);
    query.set('page', String(page));
    return html`<a class="button compact" href="?${query.toString()}">${label}</a>`;
  };
  const from = Math.min(total, (current - 1) * PAGE_SIZE + 1);
  const to = Math.min(total, current * PAGE_SIZE);
  return html`<nav class="pager" aria-label="Pages"><span class="quiet">${from}–${to} of ${total}</span>${link(current - 1, 'Previous')}${link(current + 1, 'Next')}</nav>`;
}

/** Pages, or views of one, that lie side by side. */
export function tabs(label: string, links: readonly { href: string; name: string; isHere: boolean }[]): Html {
  const all = links.map(
    ({ href, name, isHere }) => html`<a href="${href}"${isHere && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<nav class="tabs" aria-label="${label}">${all}</nav>`;
}

/** The `/` key leads into it. What is searched for stays in the address. */
export const search = (visit: Visit, label: string): Html =>
  html`<form class="search" role="search" method="get" action="${visit.to(visit.path)}"><label class="unseen" for="q">${label}</label><input id="q" name="q" type="search" value="${visit.query.get('q') ?? ''}" placeholder="${label}" autocomplete="off" spellcheck="false" maxlength="128"><button class="button">Search</button></form>`;
