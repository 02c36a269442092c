import Type, { type TSchema } from 'typebox';
import { JsonObject, Profile } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { changeUser } from './writes.ts';

/** Returns the operation that merges into a field. */
const merging = (route: `PATCH /users/:userId/${string}`, field: 'customData' | 'profile', schema: TSchema) =>
  operation(route, {
    summary: `Merge into the ${field === 'profile' ? field : 'custom data'} of a user`,
    status: 200,
    body: Type.Object({ [field]: schema }),
    returns: schema,
    errors: ['entity.not_found'],
    async run({ params: { userId }, body, store, now }) {
      const user = await store.lock('users', { id: userId });
      const merged = { ...user[field], ...(body[field] as object) };
      await changeUser(store, userId, { [field]: merged }, now);
      return merged;
    },
    event: 'User.Data.Updated',
    eventFields: (merged) => ({ data: merged }),
  });

export const userData = [
  operation('GET /users/:userId/custom-data', {
    summary: 'Get the custom data of a user',
    status: 200,
    returns: JsonObject,
    errors: ['entity.not_found'],
    run: async ({ params: { userId }, store }) => (await store.get('users', { id: userId })).customData,
  }),
  merging('PATCH /users/:userId/custom-data', 'customData', JsonObject),
  merging('PATCH /users/:userId/profile', 'profile', Profile),
];
