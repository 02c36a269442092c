import type { PathParams } from '../../http/operations/operation.ts';
import { type Html, html } from '../../pages/html.ts';
import type { ApiRoute, Body, Item, Result } from '../api.ts';
import { type ExportName, exportLink } from '../export/export-link.ts';
import { type BulkAction, bulkForm, bulkRoute } from '../parts/bulk.ts';
import { buttonLink, formPage } from '../parts/form-parts.ts';
import { type Column, note, orderQuery, pageQuery, pager, rawJson, search, table, withQuery } from '../parts/parts.ts';
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
import { bodyOf, type EntityField, fieldsOf, keepChangesOf } from './entity-fields.ts';

/** `'/users/:userId'` → `'/users'` */
type ListOf<Path extends string> = Path extends `${infer List}/:${string}` ? List : never;

/** Paths of entities that the API lists, creates, reads, changes, and deletes. */
type EntityPath = {
  [R in ApiRoute]: R extends `PATCH ${infer Path}`
    ? [`GET ${Path}` | `DELETE ${Path}` | `GET ${ListOf<Path>}` | `POST ${ListOf<Path>}`] extends [ApiRoute]
      ? Path
      : never
    : never;
}[ApiRoute];

/** An entity as the API returns it. */
export type Entity<Path extends EntityPath> = Result<`GET ${Path}`>;
type Row<Path extends EntityPath> = Item<`GET ${ListOf<Path>}`>;
type NewBody<Path extends EntityPath> = Body<`POST ${ListOf<Path>}`>;
type ChangedBody<Path extends EntityPath> = Body<`PATCH ${Path}`>;
type Field<Path extends EntityPath> = EntityField<NewBody<Path> | ChangedBody<Path>>;

/** Additions to the form of a new entity. */
export interface NewForm {
  /** Values to start with. */
  values: object;
  /** Content above the form. */
  above: Html;
  /** Further inputs, which no one fills in. */
  hidden: Html;
  /** Client modules of the page. */
  modules: string[];
}

/**
 * Describes one kind of entity. Its list, create, detail, edit, and delete pages are derived from this. The pages use the
 * same path parameters as the API. Functions are declared as methods, which TypeScript compares loosely: so the pages of
 * every kind are `EntityPages`.
 */
export interface EntityPages<Path extends EntityPath = EntityPath> {
  /** Path of the list page. */
  path: string;
  /** Path of an entity in the Management API: `/users/:userId`. The list has this path without the last parameter. */
  entity: Path;
  singular: string;
  plural: string;
  lead: string;
  nameOf?(entity: Entity<Path> | Row<Path>): string;
  /** Returns the query parameters of a search. Undefined if the list cannot be searched. */
  searchQuery?: (text: string) => Record<string, string>;
  /** True if the list can be read oldest first, with `timeOrder` in the head of a column. */
  isOrdered?: boolean;
  /** Action on several rows of the list. */
  bulk?: BulkAction & { isOffered(row: Row<Path>): boolean };
  /** Name of the list's export as CSV. */
  export?: ExportName;
  /** True if the list has all entities at once, without paging. */
  isUnpaged?: boolean;
  /** Columns of the list after the name. */
  columns(request: ConsoleRequest): Column<Row<Path>>[];
  fields: readonly Field<Path>[];
  /** Completes the form of a new entity. */
  newForm?(request: ConsoleRequest): NewForm;
  /** Renders the content of the detail page. */
  show(request: ConsoleRequest<PathParams<Path>>, entity: Entity<Path>): Promise<Html> | Html;
  /** Actions in addition to Edit and Delete. */
  actions?(request: ConsoleRequest<PathParams<Path>>, entity: Entity<Path>): Html | false;
  /** Message after an entity was created, with secrets that are shown only once. */
  afterCreate?(created: Result<`POST ${ListOf<Path>}`>, request: ConsoleRequest): Promise<Flash> | Flash;
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

type Named = Entity<EntityPath> | Row<EntityPath>;
const nameOf = ({ nameOf }: EntityPages, entity: Named): string => nameOf?.(entity) || entity.name || entity.id;

const listOf = ({ entity }: EntityPages) => entity.slice(0, entity.lastIndexOf('/')) as ListOf<EntityPath>;

/** Path of the detail page: `path`, then the last parameter of `entity`, such as `/:userId`. */
const itemPath = ({ path, entity }: EntityPages): string => path + entity.slice(entity.lastIndexOf('/'));

/** Path of the detail page of this entity. */
const pathOf = ({ path }: EntityPages, { id }: { id: string }): string => `${path}/${encodeURIComponent(id)}`;

const readEntity = async ({ entity }: EntityPages, { perform }: ConsoleRequest<never>) =>
  (await perform(`GET ${entity}`)).value;

async function showList(pages: EntityPages, request: ConsoleRequest): Promise<Page> {
  const { path, singular, plural, lead, searchQuery, isUnpaged, columns } = pages;
  const bulk = pages.bulk && !request.missingRole(pages.bulk.path, 'submit') && pages.bulk;
  const text = request.query.get('q')?.trim() ?? '';
  const found = text !== '' && searchQuery ? searchQuery(text) : {};
  const query = isUnpaged ? found : { ...found, ...(pages.isOrdered && orderQuery(request)), ...pageQuery(request) };
  const { value: rows, total } = await request.perform(`GET ${listOf(pages)}`, { query });
  const create = buttonLink(request, `${path}/new`, `New ${singular}`, 'primary');
  const name: Column<Named> = {
    label: 'Name',
    cell: (entity) =>
      html`<a href="${request.to(withQuery(pathOf(pages, entity), request))}">${nameOf(pages, entity)}</a>`,
  };
  return {
    title: plural,
    lead,
    actions: html`${create}${pages.export && total !== undefined && exportLink(request, pages.export, total)}`,
    content: html`${searchQuery && search(request, `Search ${plural.toLowerCase()}`)}
${table({
  caption: plural,
  columns: [name, ...columns(request)],
  rows,
  ...(bulk && { select: { form: bulk.id, isOffered: bulk.isOffered, nameOf: (row: Named) => nameOf(pages, row) } }),
  empty:
    text === ''
      ? html`<p>No ${plural.toLowerCase()} yet.</p>${create}`
      : html`<p>No ${plural.toLowerCase()} match “${text}”.</p>`,
})}
${total !== undefined && pager(request, total)}
${bulk && rows.some(bulk.isOffered) && bulkForm(request, bulk)}`,
  };
}

/** Shows the detail page, for actions whose errors appear on it. Their paths are below its path. */
export const showEntity =
  (pages: () => EntityPages): ShowPage =>
  (request, refused) =>
    showItem(pages(), request as ConsoleRequest<never>, refused);

function showNew(pages: EntityPages, request: ConsoleRequest, refused?: RefusedForm): Page {
  const { path, singular, plural, newForm } = pages;
  const { values, above, hidden, modules }: Partial<NewForm> = newForm?.(request) ?? {};
  const shown = formPage(request, refused, {
    title: `New ${singular}`,
    back: { path, label: plural },
    content: html`${hidden}${fieldsOf(creating(pages), values, refused)}`,
    submit: `Create ${singular}`,
  });
  return { ...shown, ...(modules && { modules }), content: html`${above}${shown.content}` };
}

const creating = ({ fields }: EntityPages) =>
  fields.filter((field): field is EntityField<NewBody<EntityPath>> => field.on !== 'change');
const changing = ({ fields }: EntityPages) =>
  fields.filter((field): field is EntityField<ChangedBody<EntityPath>> => field.on !== 'create');

async function create(pages: EntityPages, request: ConsoleRequest) {
  const { afterCreate, singular } = pages;
  const body = bodyOf(creating(pages), request.submitted, true);
  const { value } = await request.perform(`POST ${listOf(pages)}`, { body });
  const flash = (await afterCreate?.(value, request)) ?? { text: `${capital(singular)} created.` };
  return { to: pathOf(pages, value), flash };
}

async function showItem(pages: EntityPages, request: ConsoleRequest<never>, refused?: RefusedForm): Promise<Page> {
  const { path, plural, actions, show } = pages;
  const entity = await readEntity(pages, request);
  const here = fillPath(itemPath(pages), request.params);
  return {
    title: nameOf(pages, entity),
    actions: html`${actions?.(request, entity)}${buttonLink(request, `${here}/edit`, 'Edit')}${buttonLink(request, `${here}/delete`, 'Delete', 'danger')}`,
    back: { path: withQuery(path, request), label: plural },
    content: html`${refused && note('bad', refused.error.message)}${await show(request, entity)}${rawJson(entity)}`,
  };
}

async function showChange(pages: EntityPages, request: ConsoleRequest<never>, refused?: RefusedForm): Promise<Page> {
  const entity = await readEntity(pages, request);
  const name = nameOf(pages, entity);
  return formPage(request, refused, {
    title: `Edit ${name}`,
    back: { path: fillPath(itemPath(pages), request.params), label: name },
    content: fieldsOf(changing(pages), entity, refused),
    submit: 'Save changes',
  });
}

async function change(pages: EntityPages, request: ConsoleRequest<never>) {
  const entity = await readEntity(pages, request);
  await keepChangesOf(request, `PATCH ${pages.entity}`, changing(pages), entity);
  const body = bodyOf(changing(pages), request.submitted, false);
  await request.perform(`PATCH ${pages.entity}`, { body });
  return { to: fillPath(itemPath(pages), request.params), flash: { text: 'Changes saved.' } };
}

/** The confirmation page, which names the entity. */
async function showDelete(pages: EntityPages, request: ConsoleRequest<never>, refused?: RefusedForm): Promise<Page> {
  const name = nameOf(pages, await readEntity(pages, request));
  return formPage(request, refused, {
    title: `Delete ${pages.singular} ${name}`,
    back: { path: fillPath(itemPath(pages), request.params), label: name },
    content: html`<p>${pages.deleteWarning ?? `The ${pages.singular} is deleted immediately.`} This can’t be undone.</p>`,
    submit: `Delete ${pages.singular}`,
    kind: 'danger',
  });
}

async function remove(pages: EntityPages, request: ConsoleRequest<never>) {
  const name = nameOf(pages, await readEntity(pages, request));
  await request.perform(`DELETE ${pages.entity}`);
  return {
    to: pages.path,
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
    page(pages.path, of(showList), `GET ${listOf(pages)}`),
    form(`${pages.path}/new`, of(showNew), of(create), `POST ${listOf(pages)}`),
    ...(pages.bulk ? [bulkRoute(pages.bulk)] : []), // Before the detail page, whose path matches its path too.
    page<string>(here, of(showItem), `GET ${pages.entity}`),
    form<string>(`${here}/edit`, of(showChange), of(change), `PATCH ${pages.entity}`),
    form<string>(`${here}/delete`, of(showDelete), of(remove), `DELETE ${pages.entity}`),
    ...(pages.routes ?? []),
  ];
}
