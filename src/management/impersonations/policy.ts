import Type from 'typebox';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { ImpersonationPolicy, readImpersonationPolicy } from '../../tokens/exchange/impersonation-policy.ts';
import { requireExisting } from '../shared/fields.ts';

export const impersonationPolicy = [
  operation('GET /configs/impersonation', {
    summary: 'Get the impersonation policy',
    status: 200,
    returns: ImpersonationPolicy,
    run: ({ store }) => readImpersonationPolicy(store),
  }),

  operation('PATCH /configs/impersonation', {
    summary: 'Update the impersonation policy',
    description:
      'Applies from the next subject token and the next exchange, also to subject tokens that already exist.',
    status: 200,
    body: Type.Partial(ImpersonationPolicy),
    returns: ImpersonationPolicy,
    errors: ['entity.invalid_input', 'entity.relation_foreign_key_not_found'],
    async run({ body, store }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      for (const member of ['protectedRoleIds', 'allowedActorRoleIds'] as const)
        await requireExisting(store, 'roles', { ids: body[member] ?? [], member });
      const applicationIds = body.allowedActorApplicationIds ?? [];
      await requireExisting(store, 'applications', { ids: applicationIds, member: 'allowedActorApplicationIds' });
      const policy = { ...(await readImpersonationPolicy(store)), ...body };
      await store.put('configs', { key: 'impersonation' }, { settings: policy });
      return policy;
    },
  }),
];
