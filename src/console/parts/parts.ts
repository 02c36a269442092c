import type { TInteger, TNumberOptions } from 'typebox';
import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';

type Content = Html | string | number | false | null | undefined;

/** Units of time, in seconds. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

function ago(time: number, now: number): string {
  const seconds = (time - now) / 1_000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (unit) return relative.format(Math.trunc(seconds / size), unit);
  return time > now ? 'in less than a minute' : 'just now';
}

/** A relative time ("8 minutes ago"), with the exact time on hover and in `datetime`. */
export function when(time: number | string | null | undefined, now: number): Html {
  if (time === null || time === undefined) return html`<span class="quiet">never</span>`;
  const date = new Date(time);
  return html`<time datetime="${date.toISOString()}" title="${exact.format(date)} UTC">${ago(date.getTime(), now)}</time>`;
}

/** A duration in the largest unit that states it exactly: "10 minutes", "90 seconds". */
export function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

/** The time since `time`: "8 minutes", "3 days". */
export function elapsed(time: number, now: number): string {
  const seconds = (now - time) / 1_000;
  const [, size] = UNITS.find(([, size]) => seconds >= size) ?? [];
  return size === undefined ? 'less than a minute' : duration(Math.trunc(seconds / size) * size);
}

/** A count with its noun: "1 event", "2,000 events". */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** The range of a number, from its schema: "60 to 3,600". */
export const rangeOf = ({ minimum, maximum }: TInteger & Pick<TNumberOptions, 'minimum' | 'maximum'>): string =>
  `${minimum?.toLocaleString('en')} to ${maximum?.toLocaleString('en')}`;

/** A status: a colored dot with its name, never color alone. */
export const state = (kind: 'ok' | 'warn' | 'bad' | 'info' | 'off', label: string): Html =>
  html`<span class="state ${kind}">${label}</span>`;

/** A value with a copy button. The button is hidden until the script that makes it work has loaded. */
export const copyable = (text: string): Html =>
  html`<span class="copyable"><code class="mono">${text}</code><button type="button" class="copy" hidden data-copy="${text}" aria-label="Copy ${text}"></button></span>`;

export const note = (kind: 'ok' | 'bad' | 'warn' | 'info', content: Content): Html =>
  html`<div class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${content}</div>`;

/** A collapsed view of the raw JSON behind a page. */
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

/** A list of labeled values. A missing value is shown as "none", never left out. */
export const facts = (pairs: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${pairs.map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${value === null || value === undefined || value === '' ? html`<span class="quiet">none</span>` : value}</dd></div>`,
  )}</dl>`;

export interface Column<T> {
  /** Empty for a column of buttons. */
  label: string;
  /** Replaces the label in the head of the table. */
  head?: Html;
  /** In the first column: the row's name, as a link. */
  cell(row: T): Content;
  isNumber?: boolean;
}

interface TableParts<T> {
  /** Read by screen readers only. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** Shown if there are no rows: one sentence, and the action that adds a row. */
  empty: Content;
  /** Lets rows be ticked for an action on all of them: `bulk.ts`. */
  select?: Selection<T>;
}

interface Selection<T> {
  /** Id of the form that the boxes belong to. */
  form: string;
  nameOf(row: T): string;
  /** False for a row that the action does not concern. */
  isOffered(row: T): boolean;
}

const box = <T>(row: T, { form, nameOf, isOffered }: Selection<T>): Html | false =>
  isOffered(row) &&
  html`<input type="checkbox" class="pick" form="${form}" name="id" value="${(row as { id: string }).id}" aria-label="Select ${nameOf(row)}">`;

/** A table. On a phone each row becomes two lines: the name, then the other cells. */
export function table<T>({ caption, columns, rows, empty, select }: TableParts<T>): Html {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const head = columns.map(
    ({ label, head, isNumber }) =>
      html`<th scope="col"${isNumber && html` class="number"`}>${head ?? (label || html`<span class="unseen">Actions</span>`)}</th>`,
  );
  const body = rows.map((row) => {
    const [first, ...rest] = columns;
    const others = rest.map(
      ({ label, cell, isNumber }) =>
        html`<td data-label="${label}"${isNumber && html` class="number"`}>${cell(row)}</td>`,
    );
    return html`<tr><th scope="row">${select && box(row, select)}${first?.cell(row)}</th>${others}</tr>`;
  });
  return html`<div class="table-frame"><table><caption class="unseen">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Rows per page of a list. */
export const PAGE_SIZE = 20;

/** Items shown at most where a list has no pages. The others can be found by searching. */
export const MAX_ITEMS = 100;
export const FIRST_PAGE = { page: '1', page_size: String(MAX_ITEMS) };

/** The Management API's paging parameters for the page number in the URL. */
export const pageQuery = ({ query }: ConsoleRequest): { page: string; page_size: string } => ({
  page: /^[1-9]\d{0,6}$/.exec(query.get('page') ?? '')?.[0] ?? '1',
  page_size: String(PAGE_SIZE),
});

/** Adds the query of this page to a path: to a row's page, which then leads back to the same filtered list. */
export const withQuery = (path: string, { query }: Pick<ConsoleRequest, 'query'>): string =>
  query.size > 0 ? `${path}?${query}` : path;

/** The label of a column with times, as a link that turns the order of the list round. */
export function timeOrder(request: Pick<ConsoleRequest, 'query'>, label: string): Html {
  const query = new URLSearchParams(request.query);
  const isOldest = query.get('order') === 'oldest';
  query.delete('page');
  if (isOldest) query.delete('order');
  else query.set('order', 'oldest');
  const hint = isOldest ? 'Oldest first. Show newest first' : 'Newest first. Show oldest first';
  return html`<a class="order" href="?${query.toString()}" title="${hint}">${label} ${isOldest ? '↑' : '↓'}<span class="unseen"> ${hint}</span></a>`;
}

/** The Management API's parameter for the order in the URL. */
export const orderQuery = ({ query }: Pick<ConsoleRequest, 'query'>): { order?: string } =>
  query.get('order') === 'oldest' ? { order: 'oldest' } : {};

/** Links to the previous and next page of a list. They keep the other query parameters. */
export function pager(request: ConsoleRequest, total: number): Html | false {
  const current = Number(pageQuery(request).page);
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (last === 1 && current === 1) return false;
  const link = (page: number, label: string): Html => {
    if (page < 1 || page > last) return html`<span class="button compact" aria-disabled="true">${label}</span>`;
    const query = new URLSearchParams(request.query);
    query.set('page', String(page));
    return html`<a class="button compact" href="?${query.toString()}">${label}</a>`;
  };
  const from = Math.min(total, (current - 1) * PAGE_SIZE + 1);
  const to = Math.min(total, current * PAGE_SIZE);
  return html`<nav class="pager" aria-label="Pages"><span class="quiet">${from}–${to} of ${total}</span>${link(current - 1, 'Previous')}${link(current + 1, 'Next')}</nav>`;
}

/** Tabs: links between sibling pages, or between views of one page. */
export function tabs(label: string, links: readonly { href: string; name: string; isHere: boolean }[]): Html {
  const all = links.map(
    ({ href, name, isHere }) => html`<a href="${href}"${isHere && html` aria-current="page"`}>${name}</a>`,
  );
  return html`<nav class="tabs" aria-label="${label}">${all}</nav>`;
}

/** A search form. The `/` key focuses it. It uses GET, so the search text is part of the URL. */
export const search = (request: ConsoleRequest, label: string): Html =>
  html`<form class="search" role="search" method="get" action="${request.to(request.path)}"><label class="unseen" for="q">${label}</label><input id="q" name="q" type="search" value="${request.query.get('q') ?? ''}" placeholder="${label}" autocomplete="off" spellcheck="false" maxlength="128"><button class="button">Search</button></form>`;
