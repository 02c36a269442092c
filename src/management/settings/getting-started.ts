import Type from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { operation } from '../../http/operations/operation.ts';
import { SYSTEM_RESOURCE_IDS } from '../../tokens/urns.ts';

const CONFIG = { key: 'getting-started' } as const;

const Hidden = Type.Object({ isHidden: Type.Boolean({ description: 'Hides the checklist on the overview' }) });

const GettingStarted = Type.Interface([Hidden], {
  steps: Type.Object(
    {
      application: Type.Boolean({ description: 'There is an application that users can sign in to' }),
      signIn: Type.Boolean({ description: 'A user has signed in to an application' }),
      role: Type.Boolean({ description: 'A role has a scope of a resource' }),
      impersonation: Type.Boolean({ description: 'A user has been impersonated' }),
      webhook: Type.Boolean({ description: 'There is a webhook' }),
      script: Type.Boolean({ description: 'There is a claims script' }),
    },
    { description: 'The first steps of a tenant, each with whether it is done' },
  ),
});

const readHidden = async (store: TenantStore) => ({
  isHidden: false,
  ...(await store.find('configs', CONFIG))?.settings,
});

/** Looks for one row of each kind, in one statement. PostgreSQL walks an index only for an ordered row. */
async function readSteps(store: TenantStore) {
  const applications = () => store.from('applications').whereNot({ type: 'MachineToMachine' }).select('id');
  const scopes = store.from('scopes').whereNotIn('resourceId', SYSTEM_RESOURCE_IDS).select('id');
  // The first sign-in to an application writes a grant. Those of the service's own pages do not count.
  const grants = store.from('oidcPayloads').where({ model: 'Grant' }).whereIn('clientId', applications());
  const found = await store.countEach({
    application: applications().limit(1),
    grants: grants.orderBy('id').limit(1).select('id'),
    access: store.from('roleScopes').whereIn('scopeId', scopes).limit(1).select('scopeId'),
    impersonation: store.from('impersonations').orderBy('issuedAt').limit(1).select('id'),
    webhook: store.from('hooks').limit(1).select('id'),
    script: store.from('scriptVersions').limit(1).select('number'),
  });
  return {
    application: found.application > 0,
    signIn: found.grants > 0,
    role: found.access > 0,
    impersonation: found.impersonation > 0,
    webhook: found.webhook > 0,
    script: found.script > 0,
  };
}

export const gettingStarted = [
  operation('GET /configs/getting-started', {
    summary: 'Get the checklist of a new tenant',
    role: 'viewer',
    status: 200,
    returns: GettingStarted,
    async run({ store }) {
      const [hidden, steps] = await Promise.all([readHidden(store), readSteps(store)]);
      return { ...hidden, steps };
    },
  }),

  operation('PATCH /configs/getting-started', {
    summary: 'Hide or show the checklist of a new tenant',
    role: 'editor',
    status: 200,
    body: Hidden,
    returns: Hidden,
    async run({ body, store }) {
      await store.put('configs', CONFIG, { settings: body });
      return body;
    },
    audit: (_, { body }) => body,
  }),
];
