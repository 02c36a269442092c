import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ApplicationRow } from '../../database/tables/index.ts';
import { Application, OidcClientMetadata } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { addSecret, isConfidential } from '../../tokens/clients/application-secrets.ts';
import { endedBy, endImpersonations } from '../../tokens/revocation/end-access.ts';
import { endJwts } from '../../tokens/revocation/issued-jwts.ts';
import { optional } from '../shared/fields.ts';
import { byId, newestFirst } from '../shared/listing.ts';
import { search, searchQuery } from '../shared/search.ts';
import { checkMetadata } from './redirect-uris.ts';

const { name, description, type, customClientMetadata, customData, isThirdParty } = Application.properties;
/** The name that the compatible API uses. */
const DEFAULT_SECRET = 'Default secret';
const oidcClientMetadata = Type.Partial(OidcClientMetadata);

/**
 * Only machine-to-machine applications can have roles and memberships.
 *
 * @param status for an unknown id, when it is not the usual 404
 * @throws 404 (or 422) `entity.relation_foreign_key_not_found`, 422 `entity.db_constraint_violated` for another type
 */
export async function requireMachineApplications(
  store: TenantStore,
  applicationIds: string[],
  status?: 422,
): Promise<void> {
  const found = await store.from('applications').whereIn('id', applicationIds).select('type');
  if (found.length < applicationIds.length) throw foreignKeyNotFound('applicationIds', status);
  if (found.some(({ type }) => type !== 'MachineToMachine')) throw new ServiceError('entity.db_constraint_violated');
}

type Metadata = Pick<ApplicationRow, 'type' | 'isThirdParty' | 'customClientMetadata'>;

/**
 * A third-party application acts for users who consented, so it cannot be machine-to-machine or exchange tokens.
 *
 * @throws 400 `application.invalid_third_party_application_type`
 * @throws 422 `application.third_party_application_cannot_enable_token_exchange`
 */
function refuseThirdParty({ type, isThirdParty, customClientMetadata }: Metadata): void {
  if (!isThirdParty) return;
  if (type === 'MachineToMachine') throw new ServiceError('application.invalid_third_party_application_type');
  if (customClientMetadata.allowTokenExchange)
    throw new ServiceError('application.third_party_application_cannot_enable_token_exchange');
}

export const applications = [
  operation('GET /applications', {
    summary: 'List applications, newest first',
    role: 'viewer',
    status: 200,
    query: searchQuery('applications', {
      types: Type.Union([type, Type.Array(type, { maxItems: 100 })], {
        description: 'One of these types; the parameter can be repeated',
      }),
      type,
      isThirdParty: Type.Enum(['true', 'false'], { type: 'string' }),
      excludeRoleId: Type.String(),
      excludeOrganizationId: Type.String(),
    }),
    returns: Type.Array(Application),
    paginated: 'optional',
    errors: ['request.invalid_input'],
    run({ query: { types, type, isThirdParty, excludeRoleId, excludeOrganizationId, ...query }, page, store }) {
      return search(store, 'applications', query, {
        page,
        order: newestFirst,
        where(applications) {
          if (types !== undefined) applications.whereIn('type', [types].flat());
          if (type !== undefined) applications.where({ type });
          if (isThirdParty !== undefined) applications.where({ isThirdParty: isThirdParty === 'true' });
          if (excludeRoleId !== undefined) {
            const holders = store.from('applicationRoles').where({ roleId: excludeRoleId });
            applications.whereNotIn('id', holders.select('applicationId'));
          }
          if (excludeOrganizationId !== undefined) {
            const members = store.from('organizationApplications').where({ organizationId: excludeOrganizationId });
            applications.whereNotIn('id', members.select('applicationId'));
          }
        },
      });
    },
  }),

  operation('POST /applications', {
    summary: 'Create an application',
    role: 'editor',
    description: `An application of type Traditional or MachineToMachine gets a client secret named "${DEFAULT_SECRET}". Read it with \`GET /applications/{id}/secrets\`.`,
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
    example: {
      name: 'Shop',
      type: 'SPA',
      oidcClientMetadata: {
        redirectUris: ['https://shop.example.com/callback'],
        postLogoutRedirectUris: ['https://shop.example.com/'],
      },
    },
    returns: Application,
    errors: [
      'application.third_party_application_cannot_enable_token_exchange',
      'application.invalid_third_party_application_type',
    ],
    check({ type, oidcClientMetadata, customClientMetadata }) {
      if (type) checkMetadata(type, oidcClientMetadata, customClientMetadata);
    },
    async run({ body, store, secrets, now }) {
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
      refuseThirdParty(application);
      const created = await store.insert('applications', application);
      if (isConfidential(created))
        await addSecret(store, secrets, { applicationId: created.id, name: DEFAULT_SECRET, now });
      return created;
    },
  }),

  operation('GET /applications/:id', byId('applications', 'Get an application', Application)),

  operation('PATCH /applications/:id', {
    summary: 'Update an application',
    role: 'editor',
    description: 'Merges the two metadata objects and `customData`: fields that you send replace the stored ones.',
    status: 200,
    body: optional({ name, description, oidcClientMetadata, customClientMetadata, customData }),
    example: { description: 'The web shop', customClientMetadata: { allowTokenExchange: true } },
    returns: Application,
    errors: [
      'entity.not_exists',
      'entity.invalid_input',
      'application.third_party_application_cannot_enable_token_exchange',
    ],
    async run({ params, body, store }) {
      const known = await store.lock('applications', params);
      const { oidcClientMetadata: oidc, customClientMetadata: custom, customData, ...fields } = body;
      const merged = {
        ...fields,
        ...(oidc && { oidcClientMetadata: { ...known.oidcClientMetadata, ...oidc } }),
        ...(custom && { customClientMetadata: { ...known.customClientMetadata, ...custom } }),
        ...(customData && { customData: { ...known.customData, ...customData } }),
      };
      checkMetadata(known.type, merged.oidcClientMetadata, body.customClientMetadata);
      refuseThirdParty({ ...known, ...merged });
      return store.update('applications', params, merged);
    },
  }),

  operation('PATCH /applications/:id/custom-data', {
    summary: 'Merge into the custom data of an application',
    role: 'editor',
    description: 'The body is the custom data itself. Top-level fields that you send replace the stored ones.',
    status: 200,
    body: customData,
    returns: customData,
    errors: ['entity.not_exists'],
    async run({ params, body, store }) {
      const known = await store.lock('applications', params);
      const merged = { ...known.customData, ...body };
      await store.update('applications', params, { customData: merged });
      return merged;
    },
  }),

  operation('DELETE /applications/:id', {
    summary: 'Delete an application with its secrets and tokens, and revoke its impersonations',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params, store, caller, now }) {
      await store.remove('applications', params);
      await endImpersonations(store, (one) => one.where({ applicationId: params.id }), endedBy(caller, 'deleted', now));
      await store.removeAll('oidcPayloads', { clientId: params.id });
      await endJwts(store, { clientId: params.id }, now);
    },
  }),
];
