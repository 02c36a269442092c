import Type from 'typebox';
import { ServiceError } from '../errors.ts';
import { operation } from '../http/operation.ts';
import { ImpersonationPolicy, readImpersonationPolicy } from '../oidc/impersonation-policy.ts';

export const impersonationPolicy = [
  operation('GET /configs/impersonation', {
    summary: 'Read who may act for whom, and on what conditions',
    status: 200,
    returns: ImpersonationPolicy,
    run: ({ store }) => readImpersonationPolicy(store),
  }),

  operation('PATCH /configs/impersonation', {
    summary: 'Change who may act for whom, and on what conditions',
    description: 'Holds for the next subject token and the next exchange, of subject tokens minted before as well.',
    status: 200,
    body: Type.Partial(ImpersonationPolicy),
    returns: ImpersonationPolicy,
    errors: ['entity.invalid_input', 'entity.relation_foreign_key_not_found'],
    async run({ body, store }) {
      if (Object.keys(body).length === 0) throw new ServiceError('entity.invalid_input');
      const roleIds = [...new Set([...(body.protectedRoleIds ?? []), ...(body.allowedActorRoleIds ?? [])])];
      const known = await store.from('roles').whereIn('id', roleIds).select('id');
      if (known.length !== roleIds.length) throw new ServiceError('entity.relation_foreign_key_not_found');
      const applicationIds = body.allowedActorApplicationIds ?? [];
      const applications = await store.from('applications').whereIn('id', applicationIds).select('id');
      if (applications.length !== applicationIds.length)
        throw new ServiceError('entity.relation_foreign_key_not_found');
      const policy = { ...(await readImpersonationPolicy(store)), ...body };
      await store.put('configs', { key: 'impersonation' }, { settings: policy });
      return policy;
    },
  }),
];
