import Type from 'typebox';
import { readScriptLimits, refuseAboveOperator, ScriptLimits } from '../../custom-claims/tenant-limits.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';

export const scriptLimits = [
  operation('GET /configs/sandbox', {
    summary: 'Get the limits of claims scripts in this tenant',
    role: 'viewer',
    status: 200,
    returns: ScriptLimits,
    prepare: async (_, { scriptLimits }) => scriptLimits,
    run: ({ store, prepared: operator }) => readScriptLimits(store, operator),
  }),

  operation('PATCH /configs/sandbox', {
    summary: 'Update the limits of claims scripts in this tenant',
    role: 'editor',
    description: "A limit cannot be higher than the operator's.",
    status: 200,
    body: Type.Partial(ScriptLimits),
    returns: ScriptLimits,
    errors: ['entity.invalid_input'],
    prepare: async ({ body }, { scriptLimits }) => {
      refuseAboveOperator(body, scriptLimits);
      return scriptLimits;
    },
    async run({ body, store, prepared: operator }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      const row = await store.find('configs', { key: 'sandbox' });
      await store.put('configs', { key: 'sandbox' }, { settings: { ...row?.settings, ...body } });
      return readScriptLimits(store, operator);
    },
  }),
];
