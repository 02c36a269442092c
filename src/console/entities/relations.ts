import { ServiceError } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import { faultsOf } from '../parts/faults.ts';
import { boxes, buttonForm, formOf } from '../parts/form-parts.ts';
import { note, section, table } from '../parts/parts.ts';
import { type Attempt, action, form, type Page, type Route, type Visit } from '../route.ts';
import { filled } from './entity-pages.ts';

/** One of those that are joined to a thing, or may be. */
export interface Joined {
  id: string;
  name: string;
  /** Its own page. */
  path?: string;
  about?: string | Html | undefined;
}

/**
 * What a thing is joined to: the roles of a user, the members of an organization. Shown as a section of the thing's
 * page; taken away at once, with an Undo; added on a page of its own.
 */
export interface Relation {
  /** Path of the thing's page: `/directory/users/:userId`. */
  of: string;
  /** Below it, and what is added, in words: `roles`. */
  name: string;
  title: string;
  lead?: string;
  /** Those that are joined, by a row of the API that lists them. */
  list: string;
  joinedOf: (visit: Visit) => (row: Record<string, unknown>) => Joined;
  /** Rows that list a page at a time; then the first hundred are shown. */
  isPaged?: boolean;
  /** Those that could be. */
  choices: (visit: Visit, text: string) => Promise<Joined[]>;
  add: string;
  /** Member of the body of `add` that takes the ids. */
  idsAs: string;
  remove: string;
  /** Parameter of `remove` that takes the id. */
  idAs: string;
  empty: string;
}

/** As many as one page shows; the rest is found by searching. */
const MOST = 100;
export const FIRST = { page: '1', page_size: String(MOST) };

async function joined(relation: Relation, visit: Visit): Promise<{ all: Joined[]; total: number }> {
  const query = relation.isPaged ? FIRST : {};
  const { params } = visit;
  const { value, total } = await visit.perform<Record<string, unknown>[]>(`GET ${relation.list}`, { params, query });
  return { all: value.map(relation.joinedOf(visit)), total };
}

/** The section of the thing's page. */
export async function relationSection(relation: Relation, visit: Visit): Promise<Html> {
  const { all, total } = await joined(relation, visit);
  const base = filled(`${relation.of}/${relation.name}`, visit.params);
  const rows = table({
    caption: relation.title,
    rows: all,
    empty: relation.empty,
    columns: [
      { label: 'Name', cell: ({ name, path }) => (path ? html`<a href="${visit.to(path)}">${name}</a>` : name) },
      { label: 'About', cell: ({ about }) => about },
      {
        label: '',
        cell: ({ id, name }) =>
          html`<div class="row-actions">${buttonForm(visit, `${base}/remove`, html`Remove<span class="unseen"> ${name}</span>`, { fields: { id } })}</div>`,
      },
    ],
  });
  const more = total > MOST && html`<p class="quiet">The first ${MOST} of ${total}.</p>`;
  const add = html`<a class="button compact" href="${visit.to(`${base}/add`)}">Add ${relation.name}</a>`;
  return section(relation.title, html`${rows}${more}`, { lead: relation.lead, actions: add });
}

async function showAdd(relation: Relation, visit: Visit, attempt?: Attempt): Promise<Page> {
  const text = visit.query.get('q')?.trim() ?? '';
  const [{ all }, choices] = await Promise.all([joined(relation, visit), relation.choices(visit, text)]);
  const held = new Set(all.map(({ id }) => id));
  const faults = faultsOf(attempt);
  const free = choices.filter(({ id }) => !held.has(id));
  const here = filled(relation.of, visit.params);
  const options = free.map(
    ({ id, name, about }) => [id, html`${name}${about && html` <span class="quiet">${about}</span>`}`] as const,
  );
  const searching = html`<form class="search" role="search" method="get" action="${visit.to(visit.path)}"><label class="unseen" for="q">Search</label><input id="q" name="q" type="search" value="${text}" placeholder="Search ${relation.name}" autocomplete="off"><button class="button">Search</button></form>`;
  return {
    title: `Add ${relation.name}`,
    back: { path: here, label: 'Back' },
    content: html`${searching}${
      free.length === 0
        ? note('info', text === '' ? `There are no other ${relation.name}.` : `Nothing is like “${text}”.`)
        : formOf(visit, {
            path: visit.path,
            content: boxes('id', `Choose ${relation.name}`, options, {
              ticked: attempt?.typed.getAll('id') ?? [],
              faults,
            }),
            submit: 'Add',
            cancel: here,
            faults,
          })
    }`,
  };
}

async function add(relation: Relation, { perform, params, sent }: Visit) {
  const ids = sent.getAll('id');
  if (ids.length === 0) throw new ServiceError('guard.invalid_input', { details: 'body.id: fewer than 1 items' });
  await perform(`POST ${relation.add}`, { params, body: { [relation.idsAs]: ids } });
  return {
    to: filled(relation.of, params),
    flash: { text: ids.length === 1 ? 'One was added.' : `${ids.length} were added.` },
  };
}

async function remove(relation: Relation, { perform, params, sent }: Visit) {
  const id = sent.get('id') ?? '';
  await perform(`DELETE ${relation.remove}`, { params: { ...params, [relation.idAs]: id } });
  const undo = { path: filled(`${relation.of}/${relation.name}/add`, params), fields: { id } };
  return { to: filled(relation.of, params), flash: { text: 'Removed.', undo } };
}

export function relationRoutes(relation: Relation): Route[] {
  const base = `${relation.of}/${relation.name}`;
  const show = (visit: Visit, attempt?: Attempt) => showAdd(relation, visit, attempt);
  return [
    form(`${base}/add`, show, (visit) => add(relation, visit)),
    action(`${base}/remove`, show, (visit) => remove(relation, visit)),
  ];
}
