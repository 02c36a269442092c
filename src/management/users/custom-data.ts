import Type, { type Static, type TSchema } from 'typebox';
import { JsonObject, Profile } from '../../entities.ts';
import { type Input, operation, type RunTools } from '../../http/operations/operation.ts';
import { only } from '../shared/fields.ts';
import { changeUser } from './writes.ts';

type Json = Static<typeof JsonObject>;

/** Returns the definition of the operation that merges into a field. */
const merging = <F extends 'customData' | 'profile', S extends TSchema>(field: F, schema: S) => ({
  summary: `Merge into the ${field === 'profile' ? field : 'custom data'} of a user`,
  role: 'editor' as const,
  status: 200,
  body: Type.Object(only(field, schema)),
  returns: schema,
  errors: ['entity.not_found' as const],
  async run({ params: { userId }, body, store, now }: Input<{ userId: string }, Record<F, Json>> & RunTools) {
    const user = await store.lock('users', { id: userId });
    const merged = { ...user[field], ...body[field] };
    await changeUser(store, userId, { [field]: merged }, now);
    return merged;
  },
  event: 'User.Data.Updated' as const,
  eventFields: (merged: Json) => ({ data: merged }),
});

export const userData = [
  operation('GET /users/:userId/custom-data', {
    summary: 'Get the custom data of a user',
    role: 'viewer',
    status: 200,
    returns: JsonObject,
    errors: ['entity.not_found'],
    run: async ({ params: { userId }, store }) => (await store.get('users', { id: userId })).customData,
  }),
  operation('PATCH /users/:userId/custom-data', merging('customData', JsonObject)),
  operation('PATCH /users/:userId/profile', merging('profile', Profile)),
];
