import Type from 'typebox';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { readSettings, SignInSettings } from '../../sign-in/settings.ts';

const SignInExperience = Type.Interface([SignInSettings], { tenantId: Type.String() });

export const signInExp = [
  operation('GET /sign-in-exp', {
    summary: 'Get the sign-in settings',
    status: 200,
    returns: SignInExperience,
    run: async ({ store, tenant }) => ({ tenantId: tenant.id, ...(await readSettings(store, tenant.name)) }),
  }),

  operation('PATCH /sign-in-exp', {
    summary: 'Update the sign-in settings',
    description: 'A field that you send replaces the stored one as a whole.',
    status: 200,
    body: Type.Partial(SignInSettings),
    example: { brandName: 'Shop', color: { primaryColor: '#5d34f2' }, signInMode: 'SignInAndRegister' },
    returns: SignInExperience,
    errors: ['entity.invalid_input'],
    async run({ body, store, tenant }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      const settings = { ...(await readSettings(store, tenant.name)), ...body };
      await store.put('signInSettings', {}, { settings });
      return { tenantId: tenant.id, ...settings };
    },
  }),
];
