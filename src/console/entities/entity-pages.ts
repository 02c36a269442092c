import { type Html, html } from '../../pages/html.ts';
import { faultsOf } from '../parts/faults.ts';
import { formOf } from '../parts/form-parts.ts';
import { type Column, note, pageQuery, pager, rawJson, search, table } from '../parts/parts.ts';
import {
  type ConsoleRequest,
  type Flash,
  form,
  type Page,
  page,
  type RefusedForm,
  type Route,
  type Show,
} from '../route.ts';
import { bodyOf, fieldsOf, type ThingField } from './entity-fields.ts';

/** An entity as the API returns it. */
export type Thing = Record<string, unknown> & { id: string; name?: string | null };

/**
 * Describes one kind of entity. Its list, create, detail, edit, and delete pages are derived from this. `list` and `item`
 * are paths of the Management API; the pages use the same path parameters.
 */
export interface Things {
  /** Path of the list page. */
  path: string;
  list: string;
  item: string;
  one: string;
  many: string;
  lead: string;
  nameOf?: (thing: Thing) => string;
  /** Returns the query parameters of a search. Undefined if the list cannot be searched. */
  searchAs?: (text: string) => Record<string, string>;
  /** True if `list` returns all entities at once, without paging. */
  isWhole?: boolean;
  /** Columns of the list after the name. */
  columns: (request: ConsoleRequest) => Column<Thing>[];
  fields: readonly ThingField[];
  /** Renders the content of the detail page. */
  show: (request: ConsoleRequest, thing: Thing) => Promise<Html> | Html;
  /** Actions in addition to Edit and Delete. */
  actions?: (request: ConsoleRequest, thing: Thing) => Html | false;
  /** Message after an entity was created, with secrets that are shown only once. */
  made?: (made: Thing, request: ConsoleRequest) => Promise<Flash> | Flash;
  /** Warning on the delete page: the consequences of deleting an entity. */
  loses?: string;
  /** Further routes below the detail page. */
  parts?: readonly Route[];
}

/** Searches all searchable fields with LIKE. Wildcards in the text are escaped. */
export const contains = (text: string): Record<string, string> => ({
  search: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`,
});

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const nameOf = ({ nameOf }: Things, thing: Thing): string => nameOf?.(thing) || thing.name || thing.id;

/** Path of the detail page: `path`, then the end of `item` that follows `list`, such as `/:userId`. */
export const itemPath = ({ path, list, item }: Pick<Things, 'path' | 'list' | 'item'>): string =>
  path + item.slice(list.length);

/** Replaces the parameters of a path with their values. */
export const filled = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** The page's path parameters, with the id of this entity. */
const paramsOf = ({ item }: Things, request: ConsoleRequest, id: string): Record<string, string> => ({
  ...request.params,
  [/:(\w+)$/.exec(item)?.[1] ?? 'id']: id,
});

export const readThing = async ({ item }: Pick<Things, 'item'>, { perform, params }: ConsoleRequest): Promise<Thing> =>
  (await perform<Thing>(`GET ${item}`, { params })).value;

async function showList(things: Things, request: ConsoleRequest): Promise<Page> {
  const { path, list, one, many, lead, searchAs, isWhole, columns } = things;
  const text = request.query.get('q')?.trim() ?? '';
  const found = text !== '' && searchAs ? searchAs(text) : {};
  const query = isWhole ? found : { ...found, ...pageQuery(request) };
  const { value: rows, total } = await request.perform<Thing[]>(`GET ${list}`, { params: request.params, query });
  const href = (thing: Thing) => request.to(filled(itemPath(things), paramsOf(things, request, thing.id)));
  const create = html`<a class="button primary" href="${request.to(`${filled(path, request.params)}/new`)}">New ${one}</a>`;
  const name: Column<Thing> = {
    label: 'Name',
    cell: (thing) => html`<a href="${href(thing)}">${nameOf(things, thing)}</a>`,
  };
  return {
    title: many,
    lead,
    actions: create,
    content: html`${searchAs && search(request, `Search ${many.toLowerCase()}`)}
${table({
  caption: many,
  columns: [name, ...columns(request)],
  rows,
  empty:
    text === ''
      ? html`<p>No ${many.toLowerCase()} yet.</p>${create}`
      : html`<p>No ${many.toLowerCase()} match “${text}”.</p>`,
})}
${!isWhole && pager(request, total)}`,
  };
}

/** Shows the detail page, for actions whose errors appear on it. */
export const showThing =
  (things: () => Things): Show =>
  (request, refused) =>
    showItem(things(), request, refused);

function showNew(things: Things, request: ConsoleRequest, refused?: RefusedForm): Page {
  const { one, many } = things;
  const path = filled(things.path, request.params);
  const content = fieldsOf(creating(things), undefined, refused);
  return {
    title: `New ${one}`,
    back: { path, label: many },
    content: formOf(request, {
      path: request.path,
      content,
      submit: `Create ${one}`,
      cancel: path,
      faults: faultsOf(refused),
    }),
  };
}

const creating = ({ fields }: Things) => fields.filter(({ on }) => on !== 'change');
const changing = ({ fields }: Things) => fields.filter(({ on }) => on !== 'create');

async function create(things: Things, request: ConsoleRequest) {
  const { list, made, one } = things;
  const body = bodyOf(creating(things), request.sent, true);
  const { value } = await request.perform<Thing>(`POST ${list}`, { params: request.params, body });
  const flash = (await made?.(value, request)) ?? { text: `${capital(one)} created.` };
  return { to: filled(itemPath(things), paramsOf(things, request, value.id)), flash };
}

async function showItem(things: Things, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const { path, many, actions, show } = things;
  const thing = await readThing(things, request);
  const here = filled(itemPath(things), request.params);
  return {
    title: nameOf(things, thing),
    back: { path: filled(path, request.params), label: many },
    actions: html`${actions?.(request, thing)}<a class="button" href="${request.to(`${here}/edit`)}">Edit</a><a class="button danger" href="${request.to(`${here}/delete`)}">Delete</a>`,
    content: html`${refused && note('bad', refused.error.message)}${await show(request, thing)}${rawJson(thing)}`,
  };
}

async function showChange(things: Things, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const thing = await readThing(things, request);
  const here = filled(itemPath(things), request.params);
  const content = fieldsOf(changing(things), thing, refused);
  return {
    title: `Edit ${nameOf(things, thing)}`,
    back: { path: here, label: nameOf(things, thing) },
    content: formOf(request, {
      path: request.path,
      content,
      submit: 'Save changes',
      cancel: here,
      faults: faultsOf(refused),
    }),
  };
}

async function change(things: Things, request: ConsoleRequest) {
  const body = bodyOf(changing(things), request.sent, false);
  await request.perform(`PATCH ${things.item}`, { params: request.params, body });
  return { to: filled(itemPath(things), request.params), flash: { text: 'Changes saved.' } };
}

/** The confirmation page, which names the entity. */
async function showDelete(things: Things, request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const thing = await readThing(things, request);
  const here = filled(itemPath(things), request.params);
  const name = nameOf(things, thing);
  const content = html`<p>${things.loses ?? `The ${things.one} is deleted immediately.`} This can’t be undone.</p>`;
  return {
    title: `Delete ${things.one} ${name}`,
    back: { path: here, label: name },
    content: formOf(request, {
      path: request.path,
      content,
      submit: `Delete ${things.one}`,
      kind: 'danger',
      cancel: here,
      faults: faultsOf(refused),
    }),
  };
}

async function remove(things: Things, request: ConsoleRequest) {
  const name = nameOf(things, await readThing(things, request));
  await request.perform(`DELETE ${things.item}`, { params: request.params });
  return { to: filled(things.path, request.params), flash: { text: `${capital(things.one)} “${name}” deleted.` } };
}

/** Returns the routes of one kind of entity: its list, detail page, and the forms to create, edit, and delete it. */
export function thingRoutes(things: Things): Route[] {
  const here = itemPath(things);
  return [
    page(things.path, (request) => showList(things, request)),
    form(
      `${things.path}/new`,
      (request, refused) => showNew(things, request, refused),
      (request) => create(things, request),
    ),
    page(here, (request) => showItem(things, request)),
    form(
      `${here}/edit`,
      (request, refused) => showChange(things, request, refused),
      (request) => change(things, request),
    ),
    form(
      `${here}/delete`,
      (request, refused) => showDelete(things, request, refused),
      (request) => remove(things, request),
    ),
    ...(things.parts ?? []),
  ];
}
