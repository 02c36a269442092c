import { type Html, html } from '../../../pages/html.ts';
import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { filled, showThing, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { FIRST } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, section, state, table } from '../../parts/parts.ts';
import { type Attempt, action, form, type Page, type Visit } from '../../route.ts';

const OF = '/directory/resources/:id';

const here = (visit: Visit): string => filled(OF, visit.params);

/** Rows of scopes call the resource's id so. */
const rowParams = ({ params: { id = '', scopeId = '' } }: Visit) => ({ resourceId: id, scopeId });

const SCOPE_FIELDS: ThingField[] = [
  { name: 'name', label: 'Name', hint: 'Without spaces, such as read:orders.' },
  { name: 'description', label: 'Description', isOptional: true },
];

const readScopes = async (visit: Visit): Promise<Thing[]> =>
  (await visit.perform<Thing[]>('GET /resources/:resourceId/scopes', { params: rowParams(visit), query: FIRST })).value;

async function scopeSection(visit: Visit): Promise<Html> {
  const rows = table({
    caption: 'Scopes',
    rows: await readScopes(visit),
    empty: 'This resource has no scope yet. A token for it then carries none.',
    columns: [
      {
        label: 'Name',
        cell: ({ id, name }) => html`<a href="${visit.to(`${here(visit)}/scopes/${id}/edit`)}">${name}</a>`,
      },
      { label: 'Description', cell: ({ description }) => description as string | null },
      {
        label: '',
        cell: ({ id, name }) =>
          html`<div class="row-actions"><a class="button compact" href="${visit.to(`${here(visit)}/scopes/${id}/delete`)}">Delete<span class="unseen"> ${name}</span></a></div>`,
      },
    ],
  });
  const create = html`<a class="button compact" href="${visit.to(`${here(visit)}/scopes/new`)}">New scope</a>`;
  return section('Scopes', rows, { lead: 'What can be allowed at this resource, one by one.', actions: create });
}

const showNewScope = (visit: Visit, attempt?: Attempt): Page => ({
  title: 'New scope',
  back: { path: here(visit), label: 'Resource' },
  content: formOf(visit, {
    path: visit.path,
    content: fieldsOf(SCOPE_FIELDS, undefined, attempt),
    submit: 'Create scope',
    cancel: here(visit),
    faults: faultsOf(attempt),
  }),
});

async function createScope(visit: Visit) {
  const body = bodyOf(SCOPE_FIELDS, visit.sent, true);
  await visit.perform('POST /resources/:resourceId/scopes', { params: rowParams(visit), body });
  return { to: here(visit), flash: { text: 'A scope was created.' } };
}

async function showScope(visit: Visit, attempt?: Attempt): Promise<Page> {
  const scope = (await readScopes(visit)).find(({ id }) => id === visit.params.scopeId);
  return {
    title: `Change ${scope?.name ?? 'scope'}`,
    back: { path: here(visit), label: 'Resource' },
    content: formOf(visit, {
      path: visit.path,
      content: fieldsOf(SCOPE_FIELDS, scope, attempt),
      submit: 'Save',
      cancel: here(visit),
      faults: faultsOf(attempt),
    }),
  };
}

async function changeScope(visit: Visit) {
  const body = bodyOf(SCOPE_FIELDS, visit.sent, false);
  await visit.perform('PATCH /resources/:resourceId/scopes/:scopeId', { params: rowParams(visit), body });
  return { to: here(visit), flash: { text: 'Saved.' } };
}

async function showDeleteScope(visit: Visit, attempt?: Attempt): Promise<Page> {
  const scope = (await readScopes(visit)).find(({ id }) => id === visit.params.scopeId);
  const name = scope?.name ?? 'scope';
  return {
    title: `Delete scope ${name}`,
    back: { path: here(visit), label: 'Resource' },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>It is taken from every role that holds it. This cannot be undone.</p>`,
      submit: `Delete ${name}`,
      kind: 'danger',
      cancel: here(visit),
      faults: faultsOf(attempt),
    }),
  };
}

async function deleteScope(visit: Visit) {
  await visit.perform('DELETE /resources/:resourceId/scopes/:scopeId', { params: rowParams(visit) });
  return { to: here(visit), flash: { text: 'The scope was deleted.' } };
}

async function setDefault(visit: Visit, isDefault: boolean) {
  await visit.perform('PATCH /resources/:id/is-default', { params: visit.params, body: { isDefault } });
  const undo = { path: `${here(visit)}/${isDefault ? 'not-default' : 'default'}` };
  const text = isDefault
    ? 'Client credentials without a resource are now for this one.'
    : 'It is no longer the default.';
  return { to: here(visit), flash: { text, undo } };
}

const showHere = showThing(() => things);

const things: Things = {
  path: '/directory/resources',
  list: '/resources',
  item: '/resources/:id',
  one: 'resource',
  many: 'Resources',
  lead: 'APIs that tokens are for: each has an indicator, which is the audience, and scopes.',
  columns: () => [
    { label: 'Indicator', cell: ({ indicator }) => copyable(String(indicator)) },
    { label: 'Default', cell: ({ isDefault }) => isDefault === true && state('info', 'default') },
    { label: 'Token lifetime', cell: ({ accessTokenTtl }) => `${accessTokenTtl} s`, isNumber: true },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'indicator',
      label: 'Indicator',
      on: 'create',
      hint: 'An absolute URI, such as https://orders.example.com/api. It is the audience of its tokens and cannot be changed.',
    },
    {
      name: 'accessTokenTtl',
      label: 'Token lifetime in seconds',
      kind: 'number',
      initial: '3600',
      hint: '60 to 86,400.',
    },
  ],
  actions: (visit, { isDefault }) =>
    isDefault
      ? buttonForm(visit, `${here(visit)}/not-default`, 'No longer default', { kind: '' })
      : buttonForm(visit, `${here(visit)}/default`, 'Make default', { kind: '' }),
  show: async (visit, resource) => html`${facts([
    ['Indicator', copyable(String(resource.indicator))],
    ['Token lifetime', `${resource.accessTokenTtl} s`],
    ['Default', resource.isDefault ? 'for client credentials that name none' : 'no'],
    ['Id', copyable(resource.id)],
  ])}
${await scopeSection(visit)}`,
  loses: 'Its scopes go with it, and are taken from every role.',
  parts: [
    action(`${OF}/default`, showHere, (visit) => setDefault(visit, true)),
    action(`${OF}/not-default`, showHere, (visit) => setDefault(visit, false)),
    form(`${OF}/scopes/new`, showNewScope, createScope),
    form(`${OF}/scopes/:scopeId/edit`, showScope, changeScope),
    form(`${OF}/scopes/:scopeId/delete`, showDeleteScope, deleteScope),
  ],
};

export const resourceRoutes = thingRoutes(things);
