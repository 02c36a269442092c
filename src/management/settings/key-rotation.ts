import Type from 'typebox';
import { Nullable } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';

const KeyRotation = Type.Object({
  rotationDays: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'Null: as `SIGNING_KEY_ROTATION_DAYS` of the service says',
    }),
  ),
});

const CONFIG = { key: 'key-rotation' } as const;

export const keyRotation = [
  operation('GET /configs/oidc/key-rotation', {
    summary: 'Read after how many days signing keys are replaced',
    status: 200,
    returns: KeyRotation,
    run: async ({ store }) => ({ rotationDays: null, ...(await store.find('configs', CONFIG))?.settings }),
  }),

  operation('PATCH /configs/oidc/key-rotation', {
    summary: 'Change after how many days signing keys are replaced',
    status: 200,
    body: KeyRotation,
    returns: KeyRotation,
    async run({ body, store }) {
      await store.put('configs', CONFIG, { settings: body });
      return body;
    },
  }),
];
