import { type Html, html } from '../../../pages/html.ts';
import type { Body, Item } from '../../api.ts';
import { bodyOf, type EntityField, fieldsOf } from '../../entities/entity-fields.ts';
import { contains, type Entity, type EntityPages, entityRoutes } from '../../entities/entity-pages.ts';
import { type Relation, relationRoutes, relationSection } from '../../entities/relations.ts';
import { buttonLink, formPage, rowLink } from '../../parts/form-parts.ts';
import { copyable, facts, section, state, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, fillPath, form, type Page, type RefusedForm } from '../../route.ts';
import { endpointSection, quickStartSection } from './quick-starts/index.ts';
import { roleChoices, roleOf } from './related-items.ts';

const ENTITY = '/applications/:id';
const PATH = `/directory${ENTITY}`;

const TYPES = [
  ['SPA', 'Single-page application'],
  ['Native', 'Native application'],
  ['Traditional', 'Traditional web application'],
  ['MachineToMachine', 'Machine-to-machine'],
] as const;

type Application = Pick<Entity<typeof ENTITY>, 'type'>;

const typeName = ({ type }: Application): string => TYPES.find(([key]) => key === type)?.[1] ?? type;

/** True if the application has client secrets. Public applications authenticate with PKCE only. */
const isConfidential = ({ type }: Application): boolean => type === 'Traditional' || type === 'MachineToMachine';

type AtApplication = ConsoleRequest<{ id: string }>;

const here = (request: AtApplication): string => fillPath(PATH, request.params);

const heldRoles: Relation<'/applications/:id/roles'> = {
  list: '/applications/:id/roles',
  remove: 'DELETE /applications/:id/roles/:roleId',
  title: 'Roles',
  lead: 'Roles that define the scopes this application can request.',
  itemOf: roleOf,
  choices: roleChoices('MachineToMachine'),
  empty: 'No roles yet. Tokens of this application contain no scopes.',
};

type Secret = Item<'GET /applications/:id/secrets'>;

const expiry = ({ expiresAt }: Secret, now: number): Html => {
  if (expiresAt === null) return html`never`;
  return expiresAt > now ? when(expiresAt, now) : state('bad', 'Expired');
};

/** Lists the names of the secrets. A value is shown only once, when the secret is created. */
async function secretSection(request: AtApplication): Promise<Html> {
  const { value: secrets } = await request.perform('GET /applications/:id/secrets');
  const path = (name: string) => `${here(request)}/secrets/${encodeURIComponent(name)}/delete`;
  const rows = table({
    caption: 'Client secrets',
    rows: secrets,
    empty: 'No client secrets yet. The application cannot authenticate.',
    columns: [
      { label: 'Name', cell: ({ name }) => name },
      { label: 'Created', cell: ({ createdAt }) => when(createdAt, request.now) },
      { label: 'Expires', cell: (secret) => expiry(secret, request.now) },
      { label: '', cell: ({ name }) => rowLink(request, path(name), 'Delete', name) },
    ],
  });
  return section('Client secrets', rows, {
    lead: 'Every secret that has not expired is valid, so you can replace one without downtime.',
    actions: buttonLink(request, `${here(request)}/secrets/new`, 'New client secret', 'compact'),
  });
}

const SECRET_FIELDS: EntityField<Body<'POST /applications/:id/secrets'>>[] = [
  { name: 'name', label: 'Name', hint: 'Such as the environment that uses it: “production”.' },
];

const showNewSecret = (request: AtApplication, refused?: RefusedForm): Page =>
  formPage(request, refused, {
    title: 'New client secret',
    back: { path: here(request), label: 'Application' },
    content: fieldsOf(SECRET_FIELDS, undefined, refused),
    submit: 'Create client secret',
  });

async function createSecret(request: AtApplication) {
  const body = bodyOf(SECRET_FIELDS, request.submitted, true);
  const { value: created } = await request.perform('POST /applications/:id/secrets', { body });
  const secrets = [{ label: created.name, value: created.value }];
  return { to: here(request), flash: { text: 'Client secret created.', secrets } };
}

type AtSecret = ConsoleRequest<{ id: string; name: string }>;

const showDeleteSecret = (request: AtSecret, refused?: RefusedForm): Page =>
  formPage(request, refused, {
    title: `Delete client secret ${request.params.name}`,
    back: { path: here(request), label: 'Application' },
    content: html`<p>Requests that authenticate with this secret fail from now on. This can’t be undone.</p>`,
    submit: 'Delete client secret',
    kind: 'danger',
  });

async function deleteSecret(request: AtSecret) {
  await request.perform('DELETE /applications/:id/secrets/:name');
  return { to: here(request), flash: { text: `Client secret “${request.params.name}” deleted.` } };
}

const list = (items: readonly string[]): Html | undefined =>
  items.length > 0 ? html`<ul>${items.map((item) => html`<li class="mono">${item}</li>`)}</ul>` : undefined;

const applicationPages: EntityPages<typeof ENTITY> = {
  path: '/directory/applications',
  entity: ENTITY,
  singular: 'application',
  plural: 'Applications',
  lead: 'Applications that users sign in to, and machine-to-machine applications.',
  searchQuery: contains,
  columns: ({ now }) => [
    { label: 'Type', cell: typeName },
    {
      label: 'Token exchange',
      cell: ({ customClientMetadata }) => customClientMetadata.allowTokenExchange === true && state('warn', 'Allowed'),
    },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    { name: 'type', label: 'Type', kind: 'choice', options: TYPES, on: 'create' },
    { name: 'description', label: 'Description', isOptional: true },
    {
      name: 'oidcClientMetadata.redirectUris',
      label: 'Redirect URIs',
      kind: 'lines',
      hint: 'One per line. Users return to one of these after sign-in.',
    },
    {
      name: 'oidcClientMetadata.postLogoutRedirectUris',
      label: 'Post-sign-out redirect URIs',
      kind: 'lines',
      hint: 'One per line. Users return to one of these after sign-out.',
    },
    {
      name: 'customClientMetadata.corsAllowedOrigins',
      label: 'CORS allowed origins',
      kind: 'lines',
      hint: 'One per line. The origins of the redirect URIs are always allowed.',
    },
    {
      name: 'customClientMetadata.allowTokenExchange',
      label: 'Allow token exchange',
      kind: 'tick',
      hint: 'The application can exchange a subject token for an access token that acts as its user.',
    },
    {
      name: 'isThirdParty',
      label: 'Third-party application',
      kind: 'tick',
      on: 'create',
      hint: 'Users must consent before it can access their data. Can’t be changed later.',
    },
  ],
  afterCreate: async (created, { perform }) => {
    if (!isConfidential(created)) return { text: 'Application created.' };
    const { value: secrets } = await perform('GET /applications/:id/secrets', { params: { id: created.id } });
    return {
      text: 'Application created.',
      secrets: [
        { label: 'Client ID', value: created.id },
        ...secrets.map(({ value }) => ({ label: 'Client secret', value })),
      ],
    };
  },
  show: async (request, application) => {
    const { redirectUris, postLogoutRedirectUris } = application.oidcClientMetadata;
    const { allowTokenExchange } = application.customClientMetadata;
    return html`${facts([
      ['Client ID', copyable(application.id)],
      ['Type', typeName(application)],
      ['Description', application.description],
      ['Token exchange', allowTokenExchange ? state('warn', 'Allowed') : 'Not allowed'],
      ['Third-party', application.isThirdParty ? 'Yes, users must consent' : 'No'],
      ['Redirect URIs', list(redirectUris)],
      ['Post-sign-out redirect URIs', list(postLogoutRedirectUris)],
      ['Created', when(application.createdAt, request.now)],
    ])}
${isConfidential(application) && (await secretSection(request))}
${application.type === 'MachineToMachine' && (await relationSection(heldRoles, request))}
${endpointSection(request, application)}
${await quickStartSection(request, application)}`;
  },
  deleteWarning: 'Its client secrets are deleted and the tokens issued to it are revoked.',
  routes: [
    ...relationRoutes(heldRoles),
    form(`${PATH}/secrets/new`, showNewSecret, createSecret, 'POST /applications/:id/secrets'),
    form(`${PATH}/secrets/:name/delete`, showDeleteSecret, deleteSecret, 'DELETE /applications/:id/secrets/:name'),
  ],
};

export const applicationRoutes = entityRoutes(applicationPages);
