import { html } from '../../../pages/html.ts';
import { filled, showThing, type Thing, type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { copyable, facts, state, when } from '../../parts/parts.ts';
import { action, type Visit } from '../../route.ts';

/** For those who run the service: rows of the Operator API, which tenant `default` alone serves. */

const OF = '/settings/tenants/:id';

const here = (visit: Visit): string => filled(OF, visit.params);
const stateOf = ({ isSuspended }: Thing) => (isSuspended ? state('bad', 'Suspended') : state('ok', 'Active'));
const endpointsOf = ({ endpoints }: Thing): string[] => endpoints as string[];

const showHere = showThing(() => things);

async function suspend(visit: Visit, isSuspended: boolean) {
  await visit.perform('PATCH /tenants/:id', { params: visit.params, body: { isSuspended } });
  const text = isSuspended ? 'Suspended: every path of this tenant answers 403.' : 'This tenant is served again.';
  const undo = { path: `${here(visit)}/${isSuspended ? 'resume' : 'suspend'}` };
  return { to: here(visit), flash: { text, undo } };
}

const things: Things = {
  path: '/settings/tenants',
  list: '/tenants',
  item: '/tenants/:id',
  one: 'tenant',
  many: 'Tenants',
  lead: 'Each has people, applications, keys and an issuer of its own.',
  columns: ({ now }) => [
    { label: 'Endpoint', cell: (tenant) => endpointsOf(tenant)[0] },
    { label: 'State', cell: stateOf },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt as number, now) },
  ],
  fields: [
    { name: 'name', label: 'Name' },
    {
      name: 'id',
      label: 'Id',
      on: 'create',
      isOptional: true,
      hint: 'Lower case letters, digits and hyphens. It stays.',
    },
    {
      name: 'endpoints',
      label: 'Endpoints',
      kind: 'lines',
      hint: 'One a line: a host, or a host and a path. The first is the canonical one, from which the issuer is made.',
    },
    {
      name: 'managementApiIndicator',
      label: 'Management API indicator',
      on: 'change',
      hint: 'The resource that callers of the Management API ask for. The one before stays accepted.',
    },
  ],
  made: async (made, visit) => {
    await visit.rights.takeOn(made.id);
    const { clientId, clientSecret } = made.machine as { clientId: string; clientSecret: string };
    const secrets = [
      { label: 'Client id', value: clientId },
      { label: 'Secret', value: clientSecret },
    ];
    return { text: 'A tenant was created, with a machine that may call its Management API.', secrets };
  },
  actions: (visit, { id, isSuspended }) =>
    id !== visit.tenant.id &&
    (isSuspended
      ? buttonForm(visit, `${here(visit)}/resume`, 'Resume', { kind: '' })
      : buttonForm(visit, `${here(visit)}/suspend`, 'Suspend', { kind: '' })),
  show: (visit, tenant) =>
    facts([
      ['State', stateOf(tenant)],
      ['Endpoints', html`<ul>${endpointsOf(tenant).map((url) => html`<li>${copyable(url)}</li>`)}</ul>`],
      ['Management API indicator', copyable(tenant.managementApiIndicator as string)],
      ['Created', when(tenant.createdAt as number, visit.now)],
      ['Id', copyable(tenant.id)],
    ]),
  loses: 'It is out of reach at once, and all it has is removed in the background.',
  parts: [
    action(`${OF}/suspend`, showHere, (visit) => suspend(visit, true)),
    action(`${OF}/resume`, showHere, (visit) => suspend(visit, false)),
  ],
};

export const tenantRoutes = thingRoutes(things);
