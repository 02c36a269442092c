import { html } from '../../../pages/html.ts';
import { type Entity, type EntityPages, entityRoutes, showEntity } from '../../entities/entity-pages.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { copyable, facts, state, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, fillPath } from '../../route.ts';

/** Tenants, for operators: operations of the Operator API, which only tenant `default` serves. */

const PATH = '/settings/tenants/:id';

const here = (request: ConsoleRequest): string => fillPath(PATH, request.params);
const stateOf = ({ isSuspended }: Entity) => (isSuspended ? state('bad', 'Suspended') : state('ok', 'Active'));
const endpointsOf = ({ endpoints }: Entity): string[] => endpoints as string[];

const showHere = showEntity(() => tenantPages);

async function suspend(request: ConsoleRequest, isSuspended: boolean) {
  await request.perform('PATCH /tenants/:id', { body: { isSuspended } });
  const text = isSuspended ? 'Tenant suspended. Every request to it gets a 403 response.' : 'Tenant reactivated.';
  const undo = { path: `${here(request)}/${isSuspended ? 'resume' : 'suspend'}` };
  return { to: here(request), flash: { text, undo } };
}

const tenantPages: EntityPages = {
  path: '/settings/tenants',
  list: '/tenants',
  item: '/tenants/:id',
  singular: 'tenant',
  plural: 'Tenants',
  lead: 'Each tenant has its own users, applications, signing keys, and issuer.',
  columns: ({ now }) => [
    { label: 'Endpoint', cell: (tenant) => endpointsOf(tenant)[0] },
    { label: 'Status', cell: stateOf },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt as number, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'id',
      label: 'ID',
      on: 'create',
      isOptional: true,
      hint: 'Lowercase letters, digits, and hyphens. Can’t be changed later.',
    },
    {
      name: 'endpoints',
      label: 'Endpoints',
      kind: 'lines',
      hint: 'One URL per line, with an optional path. The first one is canonical: the issuer is derived from it.',
    },
    {
      name: 'managementApiIndicator',
      label: 'Management API indicator',
      on: 'change',
      hint: 'The resource that clients of the Management API request. The previous indicator is still accepted.',
    },
  ],
  afterCreate: async (created, request) => {
    await request.rights.addSelf(created.id);
    const { clientId, clientSecret } = created.machine as { clientId: string; clientSecret: string };
    const secrets = [
      { label: 'Client ID', value: clientId },
      { label: 'Client secret', value: clientSecret },
    ];
    return {
      text: 'Tenant created. These are the credentials of its machine-to-machine application for the Management API.',
      secrets,
    };
  },
  actions: (request, { id, isSuspended }) =>
    id !== request.tenant.id &&
    (isSuspended
      ? buttonForm(request, `${here(request)}/resume`, 'Reactivate tenant', { kind: '' })
      : buttonForm(request, `${here(request)}/suspend`, 'Suspend tenant', { kind: '' })),
  show: (request, tenant) =>
    facts([
      ['Status', stateOf(tenant)],
      ['Endpoints', html`<ul>${endpointsOf(tenant).map((url) => html`<li>${copyable(url)}</li>`)}</ul>`],
      ['Management API indicator', copyable(tenant.managementApiIndicator as string)],
      ['Created', when(tenant.createdAt as number, request.now)],
      ['ID', copyable(tenant.id)],
    ]),
  deleteWarning: 'It becomes unreachable immediately, and all its data is deleted in the background.',
  routes: [
    action(`${PATH}/suspend`, showHere, (request) => suspend(request, true)),
    action(`${PATH}/resume`, showHere, (request) => suspend(request, false)),
  ],
};

export const tenantRoutes = entityRoutes(tenantPages);
