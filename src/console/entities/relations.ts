import { ServiceError } from '../../errors.ts';
import type { PathParams } from '../../http/operations/operation.ts';
import { type Html, html } from '../../pages/html.ts';
import type { ApiRoute, Body, Item, ParamsOf } from '../api.ts';
import { faultsOf } from '../parts/faults.ts';
import { boxes, buttonForm, buttonLink, formOf } from '../parts/form-parts.ts';
import { countOf, FIRST_PAGE, MAX_ITEMS, note, section, table } from '../parts/parts.ts';
import {
  action,
  type ConsoleRequest,
  fillPath,
  form,
  type Page,
  type Params,
  type RefusedForm,
  type Route,
} from '../route.ts';

/** An item that is related to an entity, or could be. */
export interface RelatedItem {
  id: string;
  name: string;
  /** Path of the item's own page. */
  path?: string;
  about?: string | Html | undefined;
}

/** Paths of lists of an entity that items can be added to. */
type ListPath = {
  [R in ApiRoute]: R extends `GET ${infer List}` ? (`POST ${List}` extends ApiRoute ? List : never) : never;
}[ApiRoute] &
  `/${string}/:${string}`;

/**
 * A to-many relation of an entity: the roles of a user, the members of an organization. It is a section of the entity's
 * page. Removing an item takes one click and can be undone; adding items has its own page.
 */
export interface Relation<List extends ListPath = ListPath> {
  /** Path of the items in the Management API, and below `/directory`. It ends in the plural noun: `/users/:userId/roles`. */
  list: List;
  title: string;
  lead?: string;
  /** Removes an item. Its last path parameter is the id, `roleId`. The body that adds items has their ids in `roleIds`. */
  remove: Extract<ApiRoute, `DELETE ${string}`>;
  itemOf(row: Item<`GET ${List}`>, request: ConsoleRequest<PathParams<List>>): RelatedItem;
  /** True if the list of items is paginated. Only the first page is shown then. */
  isPaged?: boolean;
  /** Returns candidates to add that match the search text. */
  choices(request: ConsoleRequest, text: string): Promise<RelatedItem[]>;
  empty: string;
}

/** Last segment of the path of the items: `resource-scopes`. */
const nameOf = ({ list }: Relation): string => list.slice(list.lastIndexOf('/') + 1);

/** The plural noun of the items: "resource scopes". */
const nounOf = (relation: Relation): string => nameOf(relation).replaceAll('-', ' ');

/** Name of the path parameter with the id of an item: `roleId`. */
const idParameterOf = ({ remove }: Relation): string => remove.slice(remove.lastIndexOf(':') + 1);

/** Path of the entity's page. */
const pageOf = ({ list }: Relation, params: Params): string =>
  fillPath<string>(`/directory${list.slice(0, list.lastIndexOf('/'))}`, params);

async function readItems(relation: Relation, request: ConsoleRequest<never>) {
  const query = relation.isPaged ? FIRST_PAGE : {};
  const { value, total = 0 } = await request.perform(`GET ${relation.list}`, { query });
  return { all: value.map((row) => relation.itemOf(row, request)), total };
}

/** The relation's section of the entity's page. */
export async function relationSection(relation: Relation, request: ConsoleRequest): Promise<Html> {
  const own = request as ConsoleRequest<never>; // The page of the entity has the parameters of its lists.
  const { all, total } = await readItems(relation, own);
  const base = `${pageOf(relation, own.params)}/${nameOf(relation)}`;
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
  const add = buttonLink(request, `${base}/add`, `Add ${nounOf(relation)}`, 'compact');
  return section(relation.title, html`${rows}${more}`, { lead: relation.lead, actions: add });
}

async function showAdd(relation: Relation, request: ConsoleRequest<never>, refused?: RefusedForm): Promise<Page> {
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

async function add(relation: Relation, { perform, params, submitted }: ConsoleRequest<never>) {
  const ids = submitted.getAll('id');
  if (ids.length === 0) throw new ServiceError('guard.invalid_input', { details: 'body.id: fewer than 1 items' });
  await perform(`POST ${relation.list}`, {
    body: { [`${idParameterOf(relation)}s`]: ids } as Body<`POST ${ListPath}`>,
  });
  return {
    to: pageOf(relation, params),
    flash: { text: `${countOf(ids.length, nounOf(relation).slice(0, -1))} added.` },
  };
}

async function remove(relation: Relation, { perform, params, submitted }: ConsoleRequest<never>) {
  const id = submitted.get('id') ?? '';
  const itemParams = { ...(params as Params), [idParameterOf(relation)]: id };
  await perform(relation.remove, { params: itemParams as ParamsOf<Relation['remove']> });
  const here = pageOf(relation, params);
  const undo = { path: `${here}/${nameOf(relation)}/add`, fields: { id } };
  return { to: here, flash: { text: 'Removed.', undo } };
}

export function relationRoutes(relation: Relation): Route[] {
  const base = `/directory${relation.list}`;
  const show = (request: ConsoleRequest<never>, refused?: RefusedForm) => showAdd(relation, request, refused);
  return [
    form<string>(`${base}/add`, show, (request) => add(relation, request), `POST ${relation.list}`),
    action<string>(`${base}/remove`, show, (request) => remove(relation, request), relation.remove),
  ];
}
