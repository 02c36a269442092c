import Type from 'typebox';
import { HIDDEN } from '../../base/project.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { ApplicationSecretRow } from '../../database/tables/index.ts';
import { ApplicationSecret } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { addSecret, isConfidential, secretPurposeOf } from '../../tokens/clients/application-secrets.ts';
import { invalidBody } from '../shared/fields.ts';
import { guardSecrets, systemScopesOf } from '../shared/operator-rights.ts';

type SecretId = Pick<ApplicationSecretRow, 'tenantId' | 'applicationId' | 'name'>;

const purposeOf = ({ tenantId, applicationId, name }: SecretId) => secretPurposeOf(tenantId, applicationId, name);

const opened = (secrets: SecretBox, { valueEncrypted, ...secret }: ApplicationSecretRow) => ({
  ...secret,
  value: secrets.open(valueEncrypted, purposeOf(secret)),
});

const { name, expiresAt } = ApplicationSecret.properties;

export const applicationSecrets = [
  operation('GET /applications/:id/secrets', {
    summary: 'List the client secrets of an application, with their values',
    role: 'viewer',
    status: 200,
    returns: Type.Array(ApplicationSecret),
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, caller, store, secrets }) {
      await store.get('applications', { id });
      // The console lists secrets without their values, also those that only owners may read.
      const isHidden = caller.role !== 'owner' && (await systemScopesOf(store, id)).length > 0;
      if (!isHidden) await guardSecrets(store, caller, id);
      const rows = await store.from('applicationSecrets').where({ applicationId: id }).orderBy('createdAt').select('*');
      return rows.map((row) => (isHidden ? { ...row, value: HIDDEN } : opened(secrets, row)));
    },
  }),

  operation('POST /applications/:id/secrets', {
    summary: 'Create a client secret for a confidential application',
    role: 'editor',
    description: 'Every secret that has not expired works, so you can replace one without downtime.',
    status: 201,
    body: Type.Object({ name, expiresAt: Type.Optional(expiresAt) }),
    example: { name: 'production' },
    returns: ApplicationSecret,
    errors: ['entity.not_exists_with_id', 'application.secret_not_supported', 'application.secret_name_exists'],
    async run({ params: { id }, body: { name, expiresAt = null }, caller, store, secrets, now }) {
      if (!isConfidential(await store.get('applications', { id })))
        throw new ServiceError('application.secret_not_supported');
      await guardSecrets(store, caller, id);
      if (expiresAt !== null && expiresAt <= now) throw invalidBody('body.expiresAt: must be in the future');
      return addSecret(store, secrets, { applicationId: id, name, expiresAt, now });
    },
    audit: ({ name }) => ({ name }),
  }),

  operation('PATCH /applications/:id/secrets/:name', {
    summary: 'Rename a client secret',
    role: 'editor',
    status: 200,
    body: Type.Object({ name }),
    example: { name: 'staging' },
    returns: ApplicationSecret,
    errors: ['entity.not_exists', 'application.secret_name_exists'],
    async run({ params: { id, name }, body, caller, store, secrets }) {
      await guardSecrets(store, caller, id);
      const key = { applicationId: id, name };
      const { value } = opened(secrets, await store.lock('applicationSecrets', key));
      const valueEncrypted = secrets.seal(
        value,
        purposeOf({ tenantId: store.tenantId, applicationId: id, name: body.name }),
      );
      return { ...(await store.update('applicationSecrets', key, { name: body.name, valueEncrypted })), value };
    },
    audit: ({ name }) => ({ name }),
  }),

  operation('DELETE /applications/:id/secrets/:name', {
    summary: 'Delete a client secret',
    role: 'editor',
    description: 'The application can no longer authenticate with it.',
    status: 204,
    errors: ['entity.not_found'],
    async run({ params: { id, name }, caller, store }) {
      await guardSecrets(store, caller, id);
      await store.remove('applicationSecrets', { applicationId: id, name });
    },
  }),
];
