import { type Html, html } from '../../pages/html.ts';
import { faultsOf } from '../parts/faults.ts';
import { formOf } from '../parts/form-parts.ts';
import { type Column, note, pageQuery, pager, rawJson, search, table } from '../parts/parts.ts';
import { type Attempt, type Flash, form, type Page, page, type Route, type Show, type Visit } from '../route.ts';
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
  columns: (visit: Visit) => Column<Thing>[];
  fields: readonly ThingField[];
  /** Renders the content of the detail page. */
  show: (visit: Visit, thing: Thing) => Promise<Html> | Html;
  /** Actions in addition to Edit and Delete. */
  actions?: (visit: Visit, thing: Thing) => Html | false;
  /** Message after an entity was created, with secrets that are shown only once. */
  made?: (made: Thing, visit: Visit) => Promise<Flash> | Flash;
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
const paramsOf = ({ item }: Things, visit: Visit, id: string): Record<string, string> => ({
  ...visit.params,
  [/:(\w+)$/.exec(item)?.[1] ?? 'id']: id,
});

export const readThing = async ({ item }: Pick<Things, 'item'>, { perform, params }: Visit): Promise<Thing> =>
  (await perform<Thing>(`GET ${item}`, { params })).value;

async function showList(things: Things, visit: Visit): Promise<Page> {
  const { path, list, one, many, lead, searchAs, isWhole, columns } = things;
  const text = visit.query.get('q')?.trim() ?? '';
  const found = text !== '' && searchAs ? searchAs(text) : {};
  const query = isWhole ? found : { ...found, ...pageQuery(visit) };
  const { value: rows, total } = await visit.perform<Thing[]>(`GET ${list}`, { params: visit.params, query });
  const href = (thing: Thing) => visit.to(filled(itemPath(things), paramsOf(things, visit, thing.id)));
  const create = html`<a class="button primary" href="${visit.to(`${filled(path, visit.params)}/new`)}">New ${one}</a>`;
  const name: Column<Thing> = {
    label: 'Name',
    cell: (thing) => html`<a href="${href(thing)}">${nameOf(things, thing)}</a>`,
  };
  return {
    title: many,
    lead,
    actions: create,
    content: html`${searchAs && search(visit, `Search ${many.toLowerCase()}`)}
${table({
  caption: many,
  columns: [name, ...columns(visit)],
  rows,
  empty:
    text === ''
      ? html`<p>No ${many.toLowerCase()} yet.</p>${create}`
      : html`<p>No ${many.toLowerCase()} match “${text}”.</p>`,
})}
${!isWhole && pager(visit, total)}`,
  };
}

/** Shows the detail page, for actions whose errors appear on it. */
export const showThing =
  (things: () => Things): Show =>
  (visit, attempt) =>
    showItem(things(), visit, attempt);

function showNew(things: Things, visit: Visit, attempt?: Attempt): Page {
  const { one, many } = things;
  const path = filled(things.path, visit.params);
  const content = fieldsOf(creating(things), undefined, attempt);
  return {
    title: `New ${one}`,
    back: { path, label: many },
    content: formOf(visit, {
      path: visit.path,
      content,
      submit: `Create ${one}`,
      cancel: path,
      faults: faultsOf(attempt),
    }),
  };
}

const creating = ({ fields }: Things) => fields.filter(({ on }) => on !== 'change');
const changing = ({ fields }: Things) => fields.filter(({ on }) => on !== 'create');

async function create(things: Things, visit: Visit) {
  const { list, made, one } = things;
  const body = bodyOf(creating(things), visit.sent, true);
  const { value } = await visit.perform<Thing>(`POST ${list}`, { params: visit.params, body });
  const flash = (await made?.(value, visit)) ?? { text: `${capital(one)} created.` };
  return { to: filled(itemPath(things), paramsOf(things, visit, value.id)), flash };
}

async function showItem(things: Things, visit: Visit, attempt?: Attempt): Promise<Page> {
  const { path, many, actions, show } = things;
  const thing = await readThing(things, visit);
  const here = filled(itemPath(things), visit.params);
  return {
    title: nameOf(things, thing),
    back: { path: filled(path, visit.params), label: many },
    actions: html`${actions?.(visit, thing)}<a class="button" href="${visit.to(`${here}/edit`)}">Edit</a><a class="button danger" href="${visit.to(`${here}/delete`)}">Delete</a>`,
    content: html`${attempt && note('bad', attempt.error.message)}${await show(visit, thing)}${rawJson(thing)}`,
  };
}

async function showChange(things: Things, visit: Visit, attempt?: Attempt): Promise<Page> {
  const thing = await readThing(things, visit);
  const here = filled(itemPath(things), visit.params);
  const content = fieldsOf(changing(things), thing, attempt);
  return {
    title: `Edit ${nameOf(things, thing)}`,
    back: { path: here, label: nameOf(things, thing) },
    content: formOf(visit, {
      path: visit.path,
      content,
      submit: 'Save changes',
      cancel: here,
      faults: faultsOf(attempt),
    }),
  };
}

async function change(things: Things, visit: Visit) {
  const body = bodyOf(changing(things), visit.sent, false);
  await visit.perform(`PATCH ${things.item}`, { params: visit.params, body });
  return { to: filled(itemPath(things), visit.params), flash: { text: 'Changes saved.' } };
}

/** The confirmation page, which names the entity. */
async function showDelete(things: Things, visit: Visit, attempt?: Attempt): Promise<Page> {
  const thing = await readThing(things, visit);
  const here = filled(itemPath(things), visit.params);
  const name = nameOf(things, thing);
  const content = html`<p>${things.loses ?? `The ${things.one} is deleted immediately.`} This can’t be undone.</p>`;
  return {
    title: `Delete ${things.one} ${name}`,
    back: { path: here, label: name },
    content: formOf(visit, {
      path: visit.path,
      content,
      submit: `Delete ${things.one}`,
      kind: 'danger',
      cancel: here,
      faults: faultsOf(attempt),
    }),
  };
}

async function remove(things: Things, visit: Visit) {
  const name = nameOf(things, await readThing(things, visit));
  await visit.perform(`DELETE ${things.item}`, { params: visit.params });
  return { to: filled(things.path, visit.params), flash: { text: `${capital(things.one)} “${name}” deleted.` } };
}

/** Returns the routes of one kind of entity: its list, detail page, and the forms to create, edit, and delete it. */
export function thingRoutes(things: Things): Route[] {
  const here = itemPath(things);
  return [
    page(things.path, (visit) => showList(things, visit)),
    form(
      `${things.path}/new`,
      (visit, attempt) => showNew(things, visit, attempt),
      (visit) => create(things, visit),
    ),
    page(here, (visit) => showItem(things, visit)),
    form(
      `${here}/edit`,
      (visit, attempt) => showChange(things, visit, attempt),
      (visit) => change(things, visit),
    ),
    form(
      `${here}/delete`,
      (visit, attempt) => showDelete(things, visit, attempt),
      (visit) => remove(things, visit),
    ),
    ...(things.parts ?? []),
  ];
}
