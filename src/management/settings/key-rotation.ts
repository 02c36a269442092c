import Type from 'typebox';
import { Nullable } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';

const KeyRotation = Type.Object({
  rotationDays: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'null: the value of `SIGNING_KEY_ROTATION_DAYS`',
    }),
  ),
});

const CONFIG = { key: 'key-rotation' } as const;

export const keyRotation = [
  operation('GET /configs/oidc/key-rotation', {
    summary: 'Get the rotation interval of signing keys',
    status: 200,
    returns: KeyRotation,
    run: async ({ store }) => ({ rotationDays: null, ...(await store.find('configs', CONFIG))?.settings }),
  }),

  operation('PATCH /configs/oidc/key-rotation', {
    summary: 'Update the rotation interval of signing keys',
    status: 200,
    body: KeyRotation,
    returns: KeyRotation,
    async run({ body, store }) {
      await store.put('configs', CONFIG, { settings: body });
      return body;
    },
  }),
];
