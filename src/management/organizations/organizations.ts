import Type from 'typebox';
import { newShortId } from '../../base/ids.ts';
import { Organization } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';
import { byId, containing, list, newestFirst, removal, TEXTS, TextQuery } from '../shared/listing.ts';

const { tenantId: _, id: __, createdAt: ___, ...Fields } = Organization.properties;

export const organizations = [
  operation('GET /organizations', {
    summary: 'List organizations, newest first',
    role: 'viewer',
    status: 200,
    query: TextQuery,
    returns: Type.Array(Organization),
    paginated: 'always',
    run: ({ query, page, store }) =>
      list(store, 'organizations', { page, order: newestFirst, where: containing(store, TEXTS, query.q) }),
  }),

  operation('POST /organizations', {
    summary: 'Create an organization',
    role: 'editor',
    status: 201,
    body: Type.Object({ ...optional(Fields).properties, name: Fields.name }),
    example: { name: 'Acme', description: 'Customer since 2026', customData: { plan: 'gold' } },
    returns: Organization,
    run: ({ body, store, now }) =>
      store.insert('organizations', {
        id: newShortId(),
        customData: {},
        color: {},
        branding: {},
        ...body,
        createdAt: now,
      }),
    event: 'Organization.Created',
  }),

  operation('GET /organizations/:id', byId('organizations', 'Get an organization', Organization)),

  operation('PATCH /organizations/:id', {
    summary: 'Update an organization',
    role: 'editor',
    description: '`customData` is replaced as a whole.',
    status: 200,
    body: optional(Fields),
    example: { name: 'Acme Ltd.', isMfaRequired: true },
    returns: Organization,
    errors: ['entity.not_exists', 'entity.invalid_input'],
    run: ({ params, body, store }) => store.update('organizations', params, body),
    event: 'Organization.Data.Updated',
  }),

  operation('DELETE /organizations/:id', {
    ...removal('organizations', 'Delete an organization and its memberships'),
    event: 'Organization.Deleted',
  }),
];
