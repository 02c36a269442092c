import { type Html, html } from '../../../pages/html.ts';
import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { contains, filled, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { copyable, facts, section, state, table, when } from '../../parts/parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';
import { roleOf, roles } from './choices.ts';

const OF = '/directory/applications/:id';

const TYPES = [
  ['SPA', 'Single-page application'],
  ['Native', 'Native application'],
  ['Traditional', 'Web application with a server'],
  ['MachineToMachine', 'Machine to machine'],
] as const;

const typeName = ({ type }: Thing): string => TYPES.find(([key]) => key === type)?.[1] ?? String(type);

/** Public ones keep no secret: they prove themselves by PKCE. */
const isConfidential = ({ type }: Thing): boolean => type === 'Traditional' || type === 'MachineToMachine';

const here = (visit: Visit): string => filled(OF, visit.params);

const heldRoles: Relation = {
  of: OF,
  name: 'roles',
  title: 'Roles',
  lead: 'What this machine may do.',
  list: '/applications/:id/roles',
  joinedOf: () => roleOf,
  choices: roles('MachineToMachine'),
  add: '/applications/:id/roles',
  idsAs: 'roleIds',
  remove: '/applications/:id/roles/:roleId',
  idAs: 'roleId',
  empty: 'This machine has no role: no token of it carries a scope.',
};

interface Secret {
  name: string;
  value: string;
  createdAt: number;
  expiresAt: number | null;
}

const expiry = ({ expiresAt }: Secret, now: number): Html => {
  if (expiresAt === null) return html`never`;
  return expiresAt > now ? when(expiresAt, now) : state('bad', 'expired');
};

/** Names only: a value is shown when it is made, and not again. */
async function secretSection(visit: Visit): Promise<Html> {
  const { value: secrets } = await visit.perform<Secret[]>('GET /applications/:id/secrets', { params: visit.params });
  const href = (name: string) => visit.to(`${here(visit)}/secrets/${encodeURIComponent(name)}/delete`);
  const rows = table({
    caption: 'Secrets',
    rows: secrets,
    empty: 'There is no secret yet: the application cannot prove who it is.',
    columns: [
      { label: 'Name', cell: ({ name }) => name },
      { label: 'Created', cell: ({ createdAt }) => when(createdAt, visit.now) },
      { label: 'Expires', cell: (secret) => expiry(secret, visit.now) },
      {
        label: '',
        cell: ({ name }) =>
          html`<div class="row-actions"><a class="button compact" href="${href(name)}">Delete<span class="unseen"> ${name}</span></a></div>`,
      },
    ],
  });
  return section('Secrets', rows, {
    lead: 'Any live one works, so one can be replaced without an interruption.',
    actions: html`<a class="button compact" href="${visit.to(`${here(visit)}/secrets/new`)}">New secret</a>`,
  });
}

const SECRET_FIELDS: ThingField[] = [{ name: 'name', label: 'Name', hint: 'Where it is used, such as “production”.' }];

const showNewSecret = (visit: Visit, attempt?: Attempt): Page => ({
  title: 'New secret',
  back: { path: here(visit), label: 'Application' },
  content: formOf(visit, {
    path: visit.path,
    content: fieldsOf(SECRET_FIELDS, undefined, attempt),
    submit: 'Create secret',
    cancel: here(visit),
    faults: faultsOf(attempt),
  }),
});

async function createSecret(visit: Visit) {
  const body = bodyOf(SECRET_FIELDS, visit.sent, true);
  const { value: made } = await visit.perform<Secret>('POST /applications/:id/secrets', { params: visit.params, body });
  const secrets = [{ label: made.name, value: made.value }];
  return { to: here(visit), flash: { text: 'A secret was created.', secrets } };
}

const showDeleteSecret = (visit: Visit, attempt?: Attempt): Page => ({
  title: `Delete secret ${visit.params.name}`,
  back: { path: here(visit), label: 'Application' },
  content: formOf(visit, {
    path: visit.path,
    content: html`<p>Whoever uses it is refused from now on. This cannot be undone.</p>`,
    submit: `Delete ${visit.params.name}`,
    kind: 'danger',
    cancel: here(visit),
    faults: faultsOf(attempt),
  }),
});

async function deleteSecret(visit: Visit) {
  await visit.perform('DELETE /applications/:id/secrets/:name', { params: visit.params });
  return { to: here(visit), flash: { text: `${visit.params.name} was deleted.` } };
}

const list = (value: unknown): Html | undefined => {
  const items = (value as string[] | undefined) ?? [];
  return items.length > 0 ? html`<ul>${items.map((item) => html`<li class="mono">${item}</li>`)}</ul>` : undefined;
};

const things: Things = {
  path: '/directory/applications',
  list: '/applications',
  item: '/applications/:id',
  one: 'application',
  many: 'Applications',
  lead: 'What people sign in to, and the machines that call APIs by themselves.',
  searchAs: contains,
  columns: ({ now }) => [
    { label: 'Type', cell: typeName },
    {
      label: 'Token exchange',
      cell: ({ customClientMetadata }) =>
        (customClientMetadata as { allowTokenExchange?: boolean }).allowTokenExchange === true &&
        state('warn', 'may act for others'),
    },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt as number, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'type', label: 'Type', kind: 'choice', options: TYPES, on: 'create' },
    { name: 'description', label: 'Description', isOptional: true },
    {
      name: 'oidcClientMetadata.redirectUris',
      label: 'Redirect URIs',
      kind: 'lines',
      hint: 'One a line: where people are sent after they signed in.',
    },
    {
      name: 'oidcClientMetadata.postLogoutRedirectUris',
      label: 'Redirect URIs after sign-out',
      kind: 'lines',
      hint: 'One a line.',
    },
    {
      name: 'customClientMetadata.corsAllowedOrigins',
      label: 'Allowed origins',
      kind: 'lines',
      hint: 'One a line: origins of browsers besides those of the redirect URIs.',
    },
    {
      name: 'customClientMetadata.allowTokenExchange',
      label: 'May exchange subject tokens',
      kind: 'tick',
      hint: 'Lets it act as a user for whom a subject token was made.',
    },
    {
      name: 'isThirdParty',
      label: 'Belongs to a third party',
      kind: 'tick',
      on: 'create',
      hint: 'People are asked before it sees anything of theirs.',
    },
  ],
  made: async (made, { perform }) => {
    if (!isConfidential(made)) return { text: 'An application was created.' };
    const { value: secrets } = await perform<Secret[]>('GET /applications/:id/secrets', { params: { id: made.id } });
    return {
      text: 'An application was created.',
      secrets: [{ label: 'Client id', value: made.id }, ...secrets.map(({ value }) => ({ label: 'Secret', value }))],
    };
  },
  show: async (visit, application) => {
    const { redirectUris, postLogoutRedirectUris } = application.oidcClientMetadata as Record<string, unknown>;
    const { allowTokenExchange } = application.customClientMetadata as Record<string, unknown>;
    return html`${facts([
      ['Client id', copyable(application.id)],
      ['Type', typeName(application)],
      ['Description', application.description as string | null],
      ['Token exchange', allowTokenExchange ? state('warn', 'may act for others') : 'not allowed'],
      ['Party', application.isThirdParty ? 'third: people are asked' : 'own'],
      ['Redirect URIs', list(redirectUris)],
      ['After sign-out', list(postLogoutRedirectUris)],
      ['Created', when(application.createdAt as number, visit.now)],
    ])}
${isConfidential(application) && (await secretSection(visit))}
${application.type === 'MachineToMachine' && (await relationSection(heldRoles, visit))}`;
  },
  loses: 'Its secrets and everything issued to it go with it.',
  parts: [
    ...relationRoutes(heldRoles),
    form(`${OF}/secrets/new`, showNewSecret, createSecret),
    form(`${OF}/secrets/:name/delete`, showDeleteSecret, deleteSecret),
  ],
};

export const applicationRoutes = thingRoutes(things);
