import { DEFAULT_TOKEN_TTL, Resource } from '../../../entities.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Body } from '../../api.ts';
import { bodyOf, type EntityField, fieldsOf, keepChangesOf } from '../../entities/entity-fields.ts';
import { type EntityPages, entityRoutes, showEntity } from '../../entities/entity-pages.ts';
import { buttonForm, buttonLink, formPage, rowLink } from '../../parts/form-parts.ts';
import { copyable, duration, FIRST_PAGE, facts, rangeOf, section, state, table } from '../../parts/parts.ts';
import { action, type ConsoleRequest, fillPath, form, type Page, type RefusedForm } from '../../route.ts';

const PATH = '/directory/resources/:id';

type AtResource = ConsoleRequest<{ id: string }>;
type AtScope = ConsoleRequest<{ id: string; scopeId: string }>;

const here = (request: AtResource): string => fillPath(PATH, request.params);

/** The page's parameters, as the operations on scopes name them. */
const rowParams = <P extends { id: string }>({ params: { id, ...rest } }: ConsoleRequest<P>) => ({
  resourceId: id,
  ...rest,
});

const SCOPE_FIELDS: EntityField<Body<'POST /resources/:resourceId/scopes'>>[] = [
  { name: 'name', label: 'Name', hint: 'No spaces. Example: read:orders.' },
  { name: 'description', label: 'Description', isOptional: true },
];

async function readScopes({ perform, params }: AtResource) {
  const input = { params: { resourceId: params.id }, query: FIRST_PAGE };
  return (await perform('GET /resources/:resourceId/scopes', input)).value;
}

async function scopeSection(request: AtResource): Promise<Html> {
  const path = (below: string) => `${here(request)}/scopes/${below}`;
  const nameOf = ({ id, name }: { id: string; name: string }) =>
    request.missingRole(path(`${id}/edit`)) ? name : html`<a href="${request.to(path(`${id}/edit`))}">${name}</a>`;
  const rows = table({
    caption: 'Scopes',
    rows: await readScopes(request),
    empty: 'No scopes yet. Tokens for this resource contain no scopes.',
    columns: [
      { label: 'Name', cell: (scope) => nameOf(scope) },
      { label: 'Description', cell: ({ description }) => description },
      { label: '', cell: ({ id, name }) => rowLink(request, path(`${id}/delete`), 'Delete', name) },
    ],
  });
  const create = buttonLink(request, path('new'), 'New scope', 'compact');
  return section('Scopes', rows, { lead: 'Permissions that tokens for this resource can contain.', actions: create });
}

const showNewScope = (request: AtResource, refused?: RefusedForm): Page =>
  formPage(request, refused, {
    title: 'New scope',
    back: { path: here(request), label: 'Resource' },
    content: fieldsOf(SCOPE_FIELDS, undefined, refused),
    submit: 'Create scope',
  });

async function createScope(request: AtResource) {
  const body = bodyOf(SCOPE_FIELDS, request.submitted, true);
  await request.perform('POST /resources/:resourceId/scopes', { params: { resourceId: request.params.id }, body });
  return { to: here(request), flash: { text: 'Scope created.' } };
}

async function showScope(request: AtScope, refused?: RefusedForm): Promise<Page> {
  const scope = (await readScopes(request)).find(({ id }) => id === request.params.scopeId);
  return formPage(request, refused, {
    title: `Edit ${scope?.name ?? 'scope'}`,
    back: { path: here(request), label: 'Resource' },
    content: fieldsOf(SCOPE_FIELDS, scope, refused),
    submit: 'Save changes',
  });
}

async function changeScope(request: AtScope) {
  const scope = (await readScopes(request)).find(({ id }) => id === request.params.scopeId);
  if (scope) await keepChangesOf(request, 'PATCH /resources/:resourceId/scopes/:scopeId', SCOPE_FIELDS, scope);
  const body = bodyOf(SCOPE_FIELDS, request.submitted, false);
  await request.perform('PATCH /resources/:resourceId/scopes/:scopeId', { params: rowParams(request), body });
  return { to: here(request), flash: { text: 'Changes saved.' } };
}

async function showDeleteScope(request: AtScope, refused?: RefusedForm): Promise<Page> {
  const scope = (await readScopes(request)).find(({ id }) => id === request.params.scopeId);
  return formPage(request, refused, {
    title: `Delete scope ${scope?.name ?? 'scope'}`,
    back: { path: here(request), label: 'Resource' },
    content: html`<p>It is removed from every role. This can’t be undone.</p>`,
    submit: 'Delete scope',
    kind: 'danger',
  });
}

async function deleteScope(request: AtScope) {
  await request.perform('DELETE /resources/:resourceId/scopes/:scopeId', { params: rowParams(request) });
  return { to: here(request), flash: { text: 'Scope deleted.' } };
}

const DEFAULT = 'PATCH /resources/:id/is-default';

async function setDefault(request: AtResource, isDefault: boolean) {
  await request.perform(DEFAULT, { body: { isDefault } });
  const undo = { path: `${here(request)}/${isDefault ? 'not-default' : 'default'}` };
  const text = isDefault
    ? 'Now the default: client credentials requests without a resource get tokens for this one.'
    : 'No longer the default resource.';
  return { to: here(request), flash: { text, undo } };
}

const showHere = showEntity(() => resourcePages);

const resourcePages: EntityPages<'/resources/:id'> = {
  path: '/directory/resources',
  entity: '/resources/:id',
  singular: 'resource',
  plural: 'Resources',
  lead: 'APIs that accept tokens. Each has an indicator, which is the audience of its tokens, and scopes.',
  columns: () => [
    { label: 'Indicator', cell: ({ indicator }) => copyable(indicator) },
    { label: 'Default', cell: ({ isDefault }) => isDefault && state('info', 'Default') },
    { label: 'Access token lifetime', cell: ({ accessTokenTtl }) => duration(accessTokenTtl) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'indicator',
      label: 'Indicator',
      on: 'create',
      hint: 'An absolute URI, such as https://orders.example.com/api. It is the audience of the tokens. Can’t be changed later.',
    },
    {
      name: 'accessTokenTtl',
      label: 'Access token lifetime, in seconds',
      kind: 'number',
      initial: String(DEFAULT_TOKEN_TTL),
      hint: `${rangeOf(Resource.properties.accessTokenTtl)} seconds.`,
    },
  ],
  actions: (request, { isDefault }) =>
    isDefault
      ? buttonForm(request, `${here(request)}/not-default`, 'Unset default', { kind: '' })
      : buttonForm(request, `${here(request)}/default`, 'Set as default', { kind: '' }),
  show: async (request, resource) => html`${facts([
    ['Indicator', copyable(resource.indicator)],
    ['Access token lifetime', duration(resource.accessTokenTtl)],
    ['Default', resource.isDefault ? 'Yes, for client credentials requests without a resource' : 'No'],
    ['ID', copyable(resource.id)],
  ])}
${await scopeSection(request)}`,
  deleteWarning: 'Its scopes are deleted and removed from every role.',
  routes: [
    action(`${PATH}/default`, showHere, (request) => setDefault(request, true), DEFAULT),
    action(`${PATH}/not-default`, showHere, (request) => setDefault(request, false), DEFAULT),
    form(`${PATH}/scopes/new`, showNewScope, createScope, 'POST /resources/:resourceId/scopes'),
    form(`${PATH}/scopes/:scopeId/edit`, showScope, changeScope, 'PATCH /resources/:resourceId/scopes/:scopeId'),
    form(
      `${PATH}/scopes/:scopeId/delete`,
      showDeleteScope,
      deleteScope,
      'DELETE /resources/:resourceId/scopes/:scopeId',
    ),
  ],
};

export const resourceRoutes = entityRoutes(resourcePages);
