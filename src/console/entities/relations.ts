import { ServiceError } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import { faultsOf } from '../parts/faults.ts';
import { boxes, buttonForm, formOf } from '../parts/form-parts.ts';
import { countOf, FIRST_PAGE, MAX_ITEMS, note, section, table } from '../parts/parts.ts';
import { action, type ConsoleRequest, fillPath, form, type Page, type RefusedForm, type Route } from '../route.ts';

/** An item that is related to an entity, or could be. */
export interface RelatedItem {
  id: string;
  name: string;
  /** Path of the item's own page. */
  path?: string;
  about?: string | Html | undefined;
}

/**
 * A to-many relation of an entity: the roles of a user, the members of an organization. It is a section of the entity's
 * page. Removing an item takes one click and can be undone; adding items has its own page.
 */
export interface Relation {
  /** Path of the entity in the Management API: `/users/:userId`. Its page has this path below `/directory`. */
  entity: string;
  /** Path segment below the entity, and the plural noun with hyphens for spaces: `roles`. */
  name: string;
  title: string;
  lead?: string;
  /** Path parameter with the id of an item: `roleId`. The body that adds items has their ids in `roleIds`. */
  idParameter: string;
  itemOf: (request: ConsoleRequest) => (row: Record<string, unknown>) => RelatedItem;
  /** True if the list of items is paginated. Only the first page is shown then. */
  isPaged?: boolean;
  /** Returns candidates to add that match the search text. */
  choices: (request: ConsoleRequest, text: string) => Promise<RelatedItem[]>;
  empty: string;
}

/** The plural noun of the items: "resource scopes". */
const nounOf = ({ name }: Relation): string => name.replaceAll('-', ' ');

/** Path of the items, in the Management API and below `/directory`. */
const listOf = ({ entity, name }: Relation): string => `${entity}/${name}`;

/** Path of the entity's page. */
const pageOf = ({ entity }: Relation, params: Record<string, string>): string =>
  fillPath(`/directory${entity}`, params);

async function readItems(relation: Relation, request: ConsoleRequest): Promise<{ all: RelatedItem[]; total: number }> {
  const query = relation.isPaged ? FIRST_PAGE : {};
  const { value, total } = await request.perform<Record<string, unknown>[]>(`GET ${listOf(relation)}`, { query });
  return { all: value.map(relation.itemOf(request)), total };
}

/** The relation's section of the entity's page. */
export async function relationSection(relation: Relation, request: ConsoleRequest): Promise<Html> {
  const { all, total } = await readItems(relation, request);
  const base = `${pageOf(relation, request.params)}/${relation.name}`;
  const rows = table({
    caption: relation.title,
    rows: all,
    empty: relation.empty,
    columns: [
      { label: 'Name', cell: ({ name, path }) => (path ? html`<a href="${request.to(path)}">${name}</a>` : name) },
      { label: 'Details', cell: ({ about }) => about },
      {
        label: '',
        cell: ({ id, name }) =>
          html`<div class="row-actions">${buttonForm(request, `${base}/remove`, html`Remove<span class="unseen"> ${name}</span>`, { fields: { id } })}</div>`,
      },
    ],
  });
  const more = total > MAX_ITEMS && html`<p class="quiet">Showing the first ${MAX_ITEMS} of ${total}.</p>`;
  const add = html`<a class="button compact" href="${request.to(`${base}/add`)}">Add ${nounOf(relation)}</a>`;
  return section(relation.title, html`${rows}${more}`, { lead: relation.lead, actions: add });
}

async function showAdd(relation: Relation, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const text = request.query.get('q')?.trim() ?? '';
  const [{ all }, choices] = await Promise.all([readItems(relation, request), relation.choices(request, text)]);
  const held = new Set(all.map(({ id }) => id));
  const faults = faultsOf(refused);
  const free = choices.filter(({ id }) => !held.has(id));
  const here = pageOf(relation, request.params);
  const options = free.map(
    ({ id, name, about }) => [id, html`${name}${about && html` <span class="quiet">${about}</span>`}`] as const,
  );
  const searching = html`<form class="search" role="search" method="get" action="${request.to(request.path)}"><label class="unseen" for="q">Search</label><input id="q" name="q" type="search" value="${text}" placeholder="Search ${nounOf(relation)}" autocomplete="off"><button class="button">Search</button></form>`;
  return {
    title: `Add ${nounOf(relation)}`,
    back: { path: here, label: 'Back' },
    content: html`${searching}${
      free.length === 0
        ? note(
            'info',
            text === '' ? `There are no ${nounOf(relation)} to add.` : `No ${nounOf(relation)} match “${text}”.`,
          )
        : formOf(request, {
            path: request.path,
            content: boxes('id', `Select ${nounOf(relation)}`, options, {
              ticked: refused?.values.getAll('id') ?? [],
              faults,
            }),
            submit: `Add ${nounOf(relation)}`,
            cancel: here,
            faults,
          })
    }`,
  };
}

async function add(relation: Relation, { perform, params, submitted }: ConsoleRequest) {
  const ids = submitted.getAll('id');
  if (ids.length === 0) throw new ServiceError('guard.invalid_input', { details: 'body.id: fewer than 1 items' });
  await perform(`POST ${listOf(relation)}`, { body: { [`${relation.idParameter}s`]: ids } });
  return {
    to: pageOf(relation, params),
    flash: { text: `${countOf(ids.length, nounOf(relation).slice(0, -1))} added.` },
  };
}

async function remove(relation: Relation, { perform, params, submitted }: ConsoleRequest) {
  const id = submitted.get('id') ?? '';
  const { idParameter, name } = relation;
  await perform(`DELETE ${listOf(relation)}/:${idParameter}`, { params: { [idParameter]: id } });
  const here = pageOf(relation, params);
  const undo = { path: `${here}/${name}/add`, fields: { id } };
  return { to: here, flash: { text: 'Removed.', undo } };
}

export function relationRoutes(relation: Relation): Route[] {
  const base = `/directory${listOf(relation)}`;
  const show = (request: ConsoleRequest, refused?: RefusedForm) => showAdd(relation, request, refused);
  return [
    form(`${base}/add`, show, (request) => add(relation, request)),
    action(`${base}/remove`, show, (request) => remove(relation, request)),
  ];
}
