import Type from 'typebox';
import { JsonObject, Profile } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { changeUser } from './writes.ts';

export const userData = [
  operation('GET /users/:userId/custom-data', {
    summary: 'Get the custom data of a user',
    status: 200,
    returns: JsonObject,
    errors: ['entity.not_found'],
    run: async ({ params: { userId }, store }) => (await store.get('users', { id: userId })).customData,
  }),

  operation('PATCH /users/:userId/custom-data', {
    summary: 'Merge into the custom data of a user',
    status: 200,
    body: Type.Object({ customData: JsonObject }),
    returns: JsonObject,
    errors: ['entity.not_found'],
    async run({ params: { userId }, body, store, now }) {
      const user = await store.lock('users', { id: userId });
      const customData = { ...user.customData, ...body.customData };
      await changeUser(store, userId, { customData }, now);
      return customData;
    },
    event: 'User.Data.Updated',
    eventFields: (customData) => ({ data: customData }),
  }),

  operation('PATCH /users/:userId/profile', {
    summary: 'Merge into the profile of a user',
    status: 200,
    body: Type.Object({ profile: Profile }),
    returns: Profile,
    errors: ['entity.not_found'],
    async run({ params: { userId }, body, store, now }) {
      const user = await store.lock('users', { id: userId });
      const profile = { ...user.profile, ...body.profile };
      await changeUser(store, userId, { profile }, now);
      return profile;
    },
    event: 'User.Data.Updated',
    eventFields: (profile) => ({ data: profile }),
  }),
];
