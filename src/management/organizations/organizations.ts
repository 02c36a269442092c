import Type from 'typebox';
import { newShortId } from '../../base/ids.ts';
import { Organization } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';
import { containing, list, newestFirst } from '../shared/listing.ts';

const { name, description, customData, isMfaRequired, color, branding, customCss } = Organization.properties;
const Fields = { name, description, customData, isMfaRequired, color, branding, customCss };

export const organizations = [
  operation('GET /organizations', {
    summary: 'List organizations, newest first',
    status: 200,
    query: optional({ q: Type.String({ description: 'Text to search for in id, name and description' }) }),
    returns: Type.Array(Organization),
    paginated: 'always',
    run: ({ query, page, store }) =>
      list(store, 'organizations', {
        page,
        order: newestFirst,
        where: containing(store, ['id', 'name', 'description'], query.q),
      }),
  }),

  operation('POST /organizations', {
    summary: 'Create an organization',
    status: 201,
    body: Type.Object({ ...Type.Partial(Type.Object(Fields)).properties, name }),
    returns: Organization,
    run: ({ body, store, now }) =>
      store.insert('organizations', {
        id: newShortId(),
        description: null,
        customData: {},
        isMfaRequired: false,
        color: {},
        branding: {},
        customCss: null,
        ...body,
        createdAt: now,
      }),
    event: 'Organization.Created',
  }),

  operation('GET /organizations/:id', {
    summary: 'Get an organization',
    status: 200,
    returns: Organization,
    errors: ['entity.not_exists_with_id'],
    run: ({ params, store }) => store.get('organizations', params),
  }),

  operation('PATCH /organizations/:id', {
    summary: 'Update an organization',
    description: '`customData` is replaced as a whole.',
    status: 200,
    body: optional(Fields),
    returns: Organization,
    errors: ['entity.not_exists', 'entity.invalid_input'],
    run: ({ params, body, store }) => store.update('organizations', params, body),
    event: 'Organization.Data.Updated',
  }),

  operation('DELETE /organizations/:id', {
    summary: 'Delete an organization and its memberships',
    status: 204,
    errors: ['entity.not_found'],
    run: ({ params, store }) => store.remove('organizations', params),
    event: 'Organization.Deleted',
  }),
];
