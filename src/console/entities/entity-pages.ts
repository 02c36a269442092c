import { type Html, html } from '../../pages/html.ts';
import { formPage } from '../parts/form-parts.ts';
import { type Column, note, pageQuery, pager, rawJson, search, table } from '../parts/parts.ts';
import {
  type ConsoleRequest,
  type Flash,
  fillPath,
  form,
  type Page,
  page,
  type RefusedForm,
  type Route,
  type ShowPage,
} from '../route.ts';
import { bodyOf, type EntityField, fieldsOf } from './entity-fields.ts';

/** An entity as the API returns it. */
export type Entity = Record<string, unknown> & { id: string; name?: string | null };

/**
 * Describes one kind of entity. Its list, create, detail, edit, and delete pages are derived from this. `list` and `item`
 * are paths of the Management API; the pages use the same path parameters.
 */
export interface EntityPages {
  /** Path of the list page. */
  path: string;
  list: string;
  item: string;
  singular: string;
  plural: string;
  lead: string;
  nameOf?: (entity: Entity) => string;
  /** Returns the query parameters of a search. Undefined if the list cannot be searched. */
  searchQuery?: (text: string) => Record<string, string>;
  /** True if `list` returns all entities at once, without paging. */
  isUnpaged?: boolean;
  /** Columns of the list after the name. */
  columns: (request: ConsoleRequest) => Column<Entity>[];
  fields: readonly EntityField[];
  /** Renders the content of the detail page. */
  show: (request: ConsoleRequest, entity: Entity) => Promise<Html> | Html;
  /** Actions in addition to Edit and Delete. */
  actions?: (request: ConsoleRequest, entity: Entity) => Html | false;
  /** Message after an entity was created, with secrets that are shown only once. */
  afterCreate?: (created: Entity, request: ConsoleRequest) => Promise<Flash> | Flash;
  /** Warning on the delete page: the consequences of deleting an entity. */
  deleteWarning?: string;
  /** Further routes below the detail page. */
  routes?: readonly Route[];
}

/** Searches all searchable fields with LIKE. Wildcards in the text are escaped. */
export const contains = (text: string): Record<string, string> => ({
  search: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`,
});

/** Searches a list with its parameter `q`. */
export const matches = (text: string): Record<string, string> => ({ q: text });

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const nameOf = ({ nameOf }: EntityPages, entity: Entity): string => nameOf?.(entity) || entity.name || entity.id;

/** Path of the detail page: `path`, then the end of `item` that follows `list`, such as `/:userId`. */
const itemPath = ({ path, list, item }: EntityPages): string => path + item.slice(list.length);

/** The page's path parameters, with the id of this entity. */
const paramsOf = ({ item }: EntityPages, request: ConsoleRequest, id: string): Record<string, string> => ({
  ...request.params,
  [/:(\w+)$/.exec(item)?.[1] ?? 'id']: id,
});

export const readEntity = async ({ item }: EntityPages, { perform }: ConsoleRequest): Promise<Entity> =>
  (await perform<Entity>(`GET ${item}`)).value;

async function showList(pages: EntityPages, request: ConsoleRequest): Promise<Page> {
  const { path, list, singular, plural, lead, searchQuery, isUnpaged, columns } = pages;
  const text = request.query.get('q')?.trim() ?? '';
  const found = text !== '' && searchQuery ? searchQuery(text) : {};
  const query = isUnpaged ? found : { ...found, ...pageQuery(request) };
  const { value: rows, total } = await request.perform<Entity[]>(`GET ${list}`, { query });
  const href = (entity: Entity) => request.to(fillPath(itemPath(pages), paramsOf(pages, request, entity.id)));
  const create = html`<a class="button primary" href="${request.to(`${fillPath(path, request.params)}/new`)}">New ${singular}</a>`;
  const name: Column<Entity> = {
    label: 'Name',
    cell: (entity) => html`<a href="${href(entity)}">${nameOf(pages, entity)}</a>`,
  };
  return {
    title: plural,
    lead,
    actions: create,
    content: html`${searchQuery && search(request, `Search ${plural.toLowerCase()}`)}
${table({
  caption: plural,
  columns: [name, ...columns(request)],
  rows,
  empty:
    text === ''
      ? html`<p>No ${plural.toLowerCase()} yet.</p>${create}`
      : html`<p>No ${plural.toLowerCase()} match “${text}”.</p>`,
})}
${!isUnpaged && pager(request, total)}`,
  };
}

/** Shows the detail page, for actions whose errors appear on it. */
export const showEntity =
  (pages: () => EntityPages): ShowPage =>
  (request, refused) =>
    showItem(pages(), request, refused);

function showNew(pages: EntityPages, request: ConsoleRequest, refused?: RefusedForm): Page {
  const { path, singular, plural } = pages;
  return formPage(request, refused, {
    title: `New ${singular}`,
    back: { path: fillPath(path, request.params), label: plural },
    content: fieldsOf(creating(pages), undefined, refused),
    submit: `Create ${singular}`,
  });
}

const creating = ({ fields }: EntityPages) => fields.filter(({ on }) => on !== 'change');
const changing = ({ fields }: EntityPages) => fields.filter(({ on }) => on !== 'create');

async function create(pages: EntityPages, request: ConsoleRequest) {
  const { list, afterCreate, singular } = pages;
  const body = bodyOf(creating(pages), request.submitted, true);
  const { value } = await request.perform<Entity>(`POST ${list}`, { body });
  const flash = (await afterCreate?.(value, request)) ?? { text: `${capital(singular)} created.` };
  return { to: fillPath(itemPath(pages), paramsOf(pages, request, value.id)), flash };
}

async function showItem(pages: EntityPages, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const { path, plural, actions, show } = pages;
  const entity = await readEntity(pages, request);
  const here = fillPath(itemPath(pages), request.params);
  return {
    title: nameOf(pages, entity),
    back: { path: fillPath(path, request.params), label: plural },
    actions: html`${actions?.(request, entity)}<a class="button" href="${request.to(`${here}/edit`)}">Edit</a><a class="button danger" href="${request.to(`${here}/delete`)}">Delete</a>`,
    content: html`${refused && note('bad', refused.error.message)}${await show(request, entity)}${rawJson(entity)}`,
  };
}

async function showChange(pages: EntityPages, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const entity = await readEntity(pages, request);
  const name = nameOf(pages, entity);
  return formPage(request, refused, {
    title: `Edit ${name}`,
    back: { path: fillPath(itemPath(pages), request.params), label: name },
    content: fieldsOf(changing(pages), entity, refused),
    submit: 'Save changes',
  });
}

async function change(pages: EntityPages, request: ConsoleRequest) {
  const body = bodyOf(changing(pages), request.submitted, false);
  await request.perform(`PATCH ${pages.item}`, { body });
  return { to: fillPath(itemPath(pages), request.params), flash: { text: 'Changes saved.' } };
}

/** The confirmation page, which names the entity. */
async function showDelete(pages: EntityPages, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const name = nameOf(pages, await readEntity(pages, request));
  return formPage(request, refused, {
    title: `Delete ${pages.singular} ${name}`,
    back: { path: fillPath(itemPath(pages), request.params), label: name },
    content: html`<p>${pages.deleteWarning ?? `The ${pages.singular} is deleted immediately.`} This can’t be undone.</p>`,
    submit: `Delete ${pages.singular}`,
    kind: 'danger',
  });
}

async function remove(pages: EntityPages, request: ConsoleRequest) {
  const name = nameOf(pages, await readEntity(pages, request));
  await request.perform(`DELETE ${pages.item}`);
  return {
    to: fillPath(pages.path, request.params),
    flash: { text: `${capital(pages.singular)} “${name}” deleted.` },
  };
}

/** Returns the routes of one kind of entity: its list, detail page, and the forms to create, edit, and delete it. */
export function entityRoutes(pages: EntityPages): Route[] {
  const here = itemPath(pages);
  /** Fixes the first argument of a page or a handler. */
  const of =
    <Rest extends unknown[], Result>(run: (pages: EntityPages, ...rest: Rest) => Result) =>
    (...rest: Rest) =>
      run(pages, ...rest);
  return [
    page(pages.path, of(showList)),
    form(`${pages.path}/new`, of(showNew), of(create)),
    page(here, of(showItem)),
    form(`${here}/edit`, of(showChange), of(change)),
    form(`${here}/delete`, of(showDelete), of(remove)),
    ...(pages.routes ?? []),
  ];
}
