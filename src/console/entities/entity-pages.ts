import { type Html, html } from '../../pages/html.ts';
import { faultsOf } from '../parts/faults.ts';
import { formOf } from '../parts/form-parts.ts';
import { type Column, note, pageQuery, pager, rawJson, search, table } from '../parts/parts.ts';
import { type Attempt, type Flash, form, type Page, page, type Route, type Show, type Visit } from '../route.ts';
import { bodyOf, fieldsOf, type ThingField } from './entity-fields.ts';

/** One of a kind, as its rows of the API answer it. */
export type Thing = Record<string, unknown> & { id: string; name?: string | null };

/**
 * A kind of thing that is listed, made, read, changed and deleted: its pages follow from this. `list` and `item` are
 * paths of the Management API, and the parameters of the pages are theirs.
 */
export interface Things {
  /** Of its pages. */
  path: string;
  list: string;
  item: string;
  one: string;
  many: string;
  lead: string;
  nameOf?: (thing: Thing) => string;
  /** The query parameter that a search goes into, with its value. Undefined: the list cannot be searched. */
  searchAs?: (text: string) => Record<string, string>;
  /** Its row lists all at once, and takes no page. */
  isWhole?: boolean;
  /** Besides the name. */
  columns: (visit: Visit) => Column<Thing>[];
  fields: readonly ThingField[];
  /** What the item's page says besides its name: what is it, is it well, what happened. */
  show: (visit: Visit, thing: Thing) => Promise<Html> | Html;
  /** Actions beside Change and Delete. */
  actions?: (visit: Visit, thing: Thing) => Html | false;
  /** What is said of a new one: its secrets, shown this once. */
  made?: (made: Thing, visit: Visit) => Promise<Flash> | Flash;
  /** What goes with it when it is deleted. */
  loses?: string;
  /** Routes of its parts, below the item's page. */
  parts?: readonly Route[];
}

/** LIKE over every searchable field; what a person types is taken as it stands. */
export const contains = (text: string): Record<string, string> => ({
  search: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`,
});

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
/** "A user", "An application". */
const article = (noun: string): string => (/^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`);
const nameOf = ({ nameOf }: Things, thing: Thing): string => nameOf?.(thing) || thing.name || thing.id;

/** Path of the item's page: where in `path` the rows have `/users/:userId`. */
export const itemPath = ({ path, list, item }: Pick<Things, 'path' | 'list' | 'item'>): string =>
  path + item.slice(list.length);

export const filled = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Its parameters, with the id of this one. */
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
  empty: text === '' ? html`<p>There is no ${one} yet.</p>${create}` : html`<p>No ${one} is like “${text}”.</p>`,
})}
${!isWhole && pager(visit, total)}`,
  };
}

/** The item's page, for actions of its own: a refusal is shown on it. */
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
  const flash = (await made?.(value, visit)) ?? { text: `${capital(article(one))} was created.` };
  return { to: filled(itemPath(things), paramsOf(things, visit, value.id)), flash };
}

async function showItem(things: Things, visit: Visit, attempt?: Attempt): Promise<Page> {
  const { path, many, actions, show } = things;
  const thing = await readThing(things, visit);
  const here = filled(itemPath(things), visit.params);
  return {
    title: nameOf(things, thing),
    back: { path: filled(path, visit.params), label: many },
    actions: html`${actions?.(visit, thing)}<a class="button" href="${visit.to(`${here}/edit`)}">Change</a><a class="button danger" href="${visit.to(`${here}/delete`)}">Delete</a>`,
    content: html`${attempt && note('bad', attempt.error.message)}${await show(visit, thing)}${rawJson(thing)}`,
  };
}

async function showChange(things: Things, visit: Visit, attempt?: Attempt): Promise<Page> {
  const thing = await readThing(things, visit);
  const here = filled(itemPath(things), visit.params);
  const content = fieldsOf(changing(things), thing, attempt);
  return {
    title: `Change ${nameOf(things, thing)}`,
    back: { path: here, label: nameOf(things, thing) },
    content: formOf(visit, { path: visit.path, content, submit: 'Save', cancel: here, faults: faultsOf(attempt) }),
  };
}

async function change(things: Things, visit: Visit) {
  const body = bodyOf(changing(things), visit.sent, false);
  await visit.perform(`PATCH ${things.item}`, { params: visit.params, body });
  return { to: filled(itemPath(things), visit.params), flash: { text: 'Saved.' } };
}

/** Asks by naming the thing. */
async function showDelete(things: Things, visit: Visit, attempt?: Attempt): Promise<Page> {
  const thing = await readThing(things, visit);
  const here = filled(itemPath(things), visit.params);
  const name = nameOf(things, thing);
  const content = html`<p>${things.loses ?? 'It is gone at once.'} This cannot be undone.</p>`;
  return {
    title: `Delete ${things.one} ${name}`,
    back: { path: here, label: name },
    content: formOf(visit, {
      path: visit.path,
      content,
      submit: `Delete ${name}`,
      kind: 'danger',
      cancel: here,
      faults: faultsOf(attempt),
    }),
  };
}

async function remove(things: Things, visit: Visit) {
  const name = nameOf(things, await readThing(things, visit));
  await visit.perform(`DELETE ${things.item}`, { params: visit.params });
  return { to: filled(things.path, visit.params), flash: { text: `${name} was deleted.` } };
}

/** The routes of a kind of thing: its list, the form of a new one, its page, and the forms to change and delete it. */
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
