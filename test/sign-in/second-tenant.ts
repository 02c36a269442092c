import { type ApplicationCredentials, createTenant } from '../../src/admin/create-tenant.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';
import { ManagementClient } from '../support/call.ts';
import type { TestService } from '../support/start-service.ts';
import { PASSWORD } from './stage.ts';

/** A second tenant of the same service and host, as the identity provider of the first. */
export async function secondTenant(service: TestService, connector: Record<string, unknown> = {}) {
  const { databaseUrl, dataDir } = service;
  const database = connect({ databaseUrl, dataDir, poolSize: 2 });
  const endpoint = `${service.url}/idp`;
  const tenant = { id: 'idp', name: 'Acme ID', endpoints: [endpoint], managementApiIndicator: `${endpoint}/api` };
  const secrets = new SecretBox(await loadSecretKey(dataDir));
  const machine = (await createTenant(database, secrets, tenant, { now: Date.now() })) as ApplicationCredentials;
  await database.close();
  service.time.pass(1_100); // As long as tenants may stay cached.

  const api = new ManagementClient(endpoint, tenant.managementApiIndicator, machine);
  const { id: clientId } = await api.must('POST /applications', {
    name: 'The other tenant',
    type: 'Traditional',
    oidcClientMetadata: { redirectUris: [`${service.url}/sign-in/callback/acme`], postLogoutRedirectUris: [] },
  });
  const { value: clientSecret } = await api.must(`POST /applications/${clientId}/secrets`, { name: 'first' });
  const { id } = await api.must('POST /users', {
    username: 'kim',
    primaryEmail: 'kim@acme.example',
    name: 'Kim',
    password: PASSWORD,
  });
  const made = await service.api.must('POST /connectors', {
    target: 'acme',
    name: 'Acme ID',
    issuer: `${endpoint}/oidc`,
    clientId,
    clientSecret,
    ...connector,
  });
  return { api, kim: id as string, connector: made };
}
