import { html } from '../../../pages/html.ts';
import { type EntityPages, entityRoutes, showEntity } from '../../entities/entity-pages.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { copyable, facts, state, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, fillPath } from '../../route.ts';

/** Tenants, for operators: operations of the Operator API, which only tenant `default` serves. */

const PATH = '/settings/tenants/:id';

type AtTenant = ConsoleRequest<{ id: string }>;

const here = (request: AtTenant): string => fillPath(PATH, request.params);
const stateOf = ({ isSuspended }: { isSuspended: boolean }) =>
  isSuspended ? state('bad', 'Suspended') : state('ok', 'Active');

const showHere = showEntity(() => tenantPages);

async function suspend(request: AtTenant, isSuspended: boolean) {
  await request.perform('PATCH /tenants/:id', { body: { isSuspended } });
  const text = isSuspended ? 'Tenant suspended. Every request to it gets a 403 response.' : 'Tenant reactivated.';
  const undo = { path: `${here(request)}/${isSuspended ? 'resume' : 'suspend'}` };
  return { to: here(request), flash: { text, undo } };
}

const tenantPages: EntityPages<'/tenants/:id'> = {
  path: '/settings/tenants',
  entity: '/tenants/:id',
  singular: 'tenant',
  plural: 'Tenants',
  lead: 'Each tenant has its own users, applications, signing keys, and issuer.',
  columns: ({ now }) => [
    { label: 'Endpoint', cell: ({ endpoints }) => endpoints[0] },
    { label: 'Status', cell: stateOf },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'id',
      label: 'ID',
      on: 'create',
      isOptional: true,
      hint: 'Lowercase letters, digits, and hyphens. Can’t be changed later.',
      format: 'Enter lowercase letters, digits, and hyphens only. Start with a letter or a digit.',
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
    const { clientId, clientSecret } = created.machine;
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
      ['Endpoints', html`<ul>${tenant.endpoints.map((url) => html`<li>${copyable(url)}</li>`)}</ul>`],
      ['Management API indicator', copyable(tenant.managementApiIndicator)],
      ['Created', when(tenant.createdAt, request.now)],
      ['ID', copyable(tenant.id)],
    ]),
  deleteWarning: 'It becomes unreachable immediately, and all its data is deleted in the background.',
  routes: [
    action(`${PATH}/suspend`, showHere, (request) => suspend(request, true), 'PATCH /tenants/:id'),
    action(`${PATH}/resume`, showHere, (request) => suspend(request, false), 'PATCH /tenants/:id'),
  ],
};

export const tenantRoutes = entityRoutes(tenantPages);
