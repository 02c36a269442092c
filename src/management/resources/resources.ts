import Type from 'typebox';
import { newId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ResourceRow, ScopeRow } from '../../database/tables/index.ts';
import { DEFAULT_TOKEN_TTL, Resource, Scope } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { isSystemResource } from '../../tokens/urns.ts';
import { optional, requireIndicator } from '../shared/fields.ts';
import { byId, byName, list, mapped } from '../shared/listing.ts';
import { serialize } from '../shared/serialize.ts';

const { name, indicator, accessTokenTtl } = Resource.properties;
const ResourceWithScopes = Type.Object({ ...Resource.properties, scopes: Type.Optional(Type.Array(Scope)) });

/** @throws 400 `resource.cannot_modify_management_api` */
export function refuseManagementApi(resourceId: string): void {
  if (isSystemResource(resourceId)) throw new ServiceError('resource.cannot_modify_management_api');
}

async function withScopes(
  store: TenantStore,
  resources: ResourceRow[],
): Promise<(ResourceRow & { scopes: ScopeRow[] })[]> {
  const ids = resources.map(({ id }) => id);
  const scopes = await store.from('scopes').whereIn('resourceId', ids).orderBy(byName).select('*');
  const byResource = Map.groupBy(scopes, ({ resourceId }) => resourceId);
  return resources.map((resource) => ({ ...resource, scopes: byResource.get(resource.id) ?? [] }));
}

export const resources = [
  operation('GET /resources', {
    summary: 'List API resources by name',
    role: 'viewer',
    status: 200,
    query: optional({ includeScopes: Type.Boolean() }),
    returns: Type.Array(ResourceWithScopes),
    paginated: 'optional',
    async run({ query, page, store }) {
      const rows = await list(store, 'resources', { page, order: [...byName, { column: 'id' }] });
      return query.includeScopes ? mapped(rows, (rows) => withScopes(store, rows)) : rows;
    },
  }),

  operation('POST /resources', {
    summary: 'Create an API resource',
    role: 'editor',
    description: 'The indicator becomes the audience of its access tokens. It cannot be changed later.',
    status: 201,
    body: Type.Object({ name, indicator, accessTokenTtl: Type.Optional(accessTokenTtl) }),
    returns: ResourceWithScopes,
    errors: ['resource.resource_identifier_in_use'],
    check({ indicator }) {
      if (indicator !== undefined) requireIndicator('indicator', indicator);
    },
    async run({ body, store }) {
      return store.transaction(async (store) => {
        const fields = { id: newId(), isDefault: false, accessTokenTtl: DEFAULT_TOKEN_TTL, ...body };
        const resource = await store.insert('resources', fields);
        // Checked after the insert, which waits for a concurrent change of the same indicator, so that the alias which
        // that change adds is visible here.
        if (await store.find('resourceAliases', { indicator: body.indicator }))
          throw new ServiceError('resource.resource_identifier_in_use');
        return { ...resource, scopes: [] };
      });
    },
  }),

  operation('GET /resources/:id', byId('resources', 'Get an API resource', Resource)),

  operation('PATCH /resources/:id', {
    summary: 'Update the name or the token lifetime of an API resource',
    role: 'editor',
    status: 200,
    body: optional({ name, accessTokenTtl }),
    returns: Resource,
    errors: ['entity.not_exists', 'entity.invalid_input', 'resource.cannot_modify_management_api'],
    async run({ params, body, store }) {
      refuseManagementApi(params.id);
      return store.update('resources', params, body);
    },
  }),

  operation('PATCH /resources/:id/is-default', {
    summary: 'Set or unset the default resource of the client credentials grant',
    role: 'editor',
    description: 'A new default replaces the previous one.',
    status: 200,
    body: Type.Object({ isDefault: Type.Boolean() }),
    returns: Resource,
    errors: ['entity.not_exists', 'resource.cannot_modify_management_api'],
    async run({ params: { id }, body: { isDefault }, store }) {
      refuseManagementApi(id);
      await serialize(store); // There is at most one default.
      if (isDefault)
        await store.changeWhere('resources', (others) => others.where({ isDefault: true }).whereNot({ id }), {
          isDefault: false,
        });
      return store.update('resources', { id }, { isDefault });
    },
  }),

  operation('DELETE /resources/:id', {
    summary: 'Delete an API resource and its scopes',
    role: 'editor',
    status: 204,
    errors: ['entity.not_found', 'resource.cannot_delete_management_api'],
    async run({ params, store }) {
      if (isSystemResource(params.id)) throw new ServiceError('resource.cannot_delete_management_api');
      const scopes = await store.from('scopes').where({ resourceId: params.id }).select('id');
      await store.remove('resources', params);
      return scopes;
    },
    furtherEvents: [
      {
        event: 'Scope.Deleted',
        eventFields: (scopes, { params }) => scopes.map(({ id }) => ({ resourceId: params.id, scopeId: id })),
      },
    ],
    audit: (scopes) => ({ scopeIds: scopes.map(({ id }) => id) }),
  }),
];
