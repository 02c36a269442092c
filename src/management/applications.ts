import Type from 'typebox';
import type { ApplicationRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { Application, OidcClientMetadata } from '../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../errors.ts';
import { operation } from '../http/operation.ts';
import { newId } from '../ids.ts';
import { optional } from './fields.ts';
import { list, newestFirst } from './listing.ts';
import { checkUris } from './redirect-uris.ts';
import { searchable, searching, searchOf, searchQuery } from './search.ts';

const { name, description, type, customClientMetadata, customData, isThirdParty } = Application.properties;
const oidcClientMetadata = Type.Partial(OidcClientMetadata);

/**
 * Roles and memberships of applications are those of machines.
 *
 * @param status of an unknown id, where it is not the usual one
 * @throws 404 (or 422) `entity.relation_foreign_key_not_found`, 422 `entity.db_constraint_violated` for another type
 */
export async function requireMachines(store: TenantStore, applicationIds: string[], status?: 422): Promise<void> {
  const found = await store.from('applications').whereIn('id', applicationIds).select('type');
  if (found.length < applicationIds.length) throw foreignKeyNotFound('applicationIds', status);
  if (found.some(({ type }) => type !== 'MachineToMachine')) throw new ServiceError('entity.db_constraint_violated');
}

type Metadata = Pick<ApplicationRow, 'isThirdParty' | 'customClientMetadata'>;

/** @throws 422 `application.third_party_application_cannot_enable_token_exchange` */
function refuseThirdPartyExchange({ isThirdParty, customClientMetadata }: Metadata): void {
  if (isThirdParty && customClientMetadata.allowTokenExchange)
    throw new ServiceError('application.third_party_application_cannot_enable_token_exchange');
}

export const applications = [
  operation('GET /applications', {
    summary: 'List applications, newest first',
    status: 200,
    query: searchQuery(searchable.applications, { excludeRoleId: { type: 'string' }, type: { ...type } }),
    returns: Type.Array(Application),
    paginated: 'optional',
    errors: ['request.invalid_input'],
    run({ query: { excludeRoleId, type, ...query }, page, store }) {
      return searching(store, searchOf(store, query, searchable.applications), async (store, found) =>
        list(store, 'applications', {
          page,
          order: newestFirst,
          where(applications) {
            applications.where(found);
            if (type !== undefined) applications.where({ type });
            if (excludeRoleId === undefined) return;
            const holders = store.from('applicationRoles').where({ roleId: excludeRoleId });
            applications.whereNotIn('id', holders.select('applicationId'));
          },
        }),
      );
    },
  }),

  operation('POST /applications', {
    summary: 'Register an application',
    description: 'It has no secret yet: POST /applications/{id}/secrets makes one.',
    status: 200,
    body: Type.Object({
      name,
      type,
      description: Type.Optional(description),
      oidcClientMetadata: Type.Optional(oidcClientMetadata),
      customClientMetadata: Type.Optional(customClientMetadata),
      customData: Type.Optional(customData),
      isThirdParty: Type.Optional(isThirdParty),
    }),
    returns: Application,
    errors: ['application.third_party_application_cannot_enable_token_exchange'],
    async run({ body, store, now }) {
      checkUris(body.type, body.oidcClientMetadata, body.customClientMetadata);
      const application = {
        id: newId(),
        description: null,
        customClientMetadata: {},
        customData: {},
        isThirdParty: false,
        ...body,
        oidcClientMetadata: { redirectUris: [], postLogoutRedirectUris: [], ...body.oidcClientMetadata },
        createdAt: now,
      };
      refuseThirdPartyExchange(application);
      return store.insert('applications', application);
    },
  }),

  operation('GET /applications/:id', {
    summary: 'Read an application',
    status: 200,
    returns: Application,
    errors: ['entity.not_exists_with_id'],
    run: ({ params, store }) => store.get('applications', params),
  }),

  operation('PATCH /applications/:id', {
    summary: 'Change an application',
    description: 'The two metadata objects and `customData` are merged, their members replaced.',
    status: 200,
    body: optional({ name, description, oidcClientMetadata, customClientMetadata, customData }),
    returns: Application,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'application.third_party_application_cannot_enable_token_exchange',
    ],
    async run({ params, body, store }) {
      const known = await store.lock('applications', params);
      checkUris(known.type, body.oidcClientMetadata, body.customClientMetadata);
      const { oidcClientMetadata: oidc, customClientMetadata: custom, customData, ...fields } = body;
      const merged = {
        ...fields,
        ...(oidc && { oidcClientMetadata: { ...known.oidcClientMetadata, ...oidc } }),
        ...(custom && { customClientMetadata: { ...known.customClientMetadata, ...custom } }),
        ...(customData && { customData: { ...known.customData, ...customData } }),
      };
      refuseThirdPartyExchange({ ...known, ...merged });
      return store.update('applications', params, merged);
    },
  }),

  operation('DELETE /applications/:id', {
    summary: 'Delete an application with its secrets and what was issued to it',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params, store }) {
      await store.remove('applications', params);
      await store.removeAll('oidcPayloads', { clientId: params.id });
    },
  }),
];
