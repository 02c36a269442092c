import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { askToken, codeGrant, type OAuthApplication, REDIRECT_URI } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('the audit log on %s', (kind) => {
  /** Creates an application with an older secret and the one in use. */
  async function application(
    { api }: TestService,
    type: 'Traditional' | 'MachineToMachine',
  ): Promise<OAuthApplication> {
    const { id } = await api.must('POST /applications', {
      name: type,
      type,
      oidcClientMetadata: { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [] },
      customClientMetadata: { allowTokenExchange: true },
    });
    await api.must(`POST /applications/${id}/secrets`, { name: 'older' });
    const { value } = await api.must(`POST /applications/${id}/secrets`, { name: 'newer' });
    return { clientId: id, clientSecret: value, redirectUri: REDIRECT_URI };
  }

  const exchangeForm = async ({ mint, resource }: Cast, besides = {}) => ({
    grant_type: TOKEN_EXCHANGE,
    subject_token: await mint(),
    subject_token_type: ACCESS_TOKEN,
    resource,
    ...besides,
  });

  it('names the secret that an application used, and never contains its value', async () => {
    await using service = await startService(kind);
    const cast = castOf(service);
    const web = await application(service, 'Traditional');
    const machine = await application(service, 'MachineToMachine');
    const logs = (key: string, of: OAuthApplication) =>
      service.api.must(`GET /logs?${new URLSearchParams({ logKey: key, applicationId: of.clientId })}`);
    const isNamed = (key: string, of: OAuthApplication, result: 'Success' | 'Error' = 'Success') =>
      expect
        .poll(() => logs(key, of))
        .toContainEqual(
          expect.objectContaining({
            payload: expect.objectContaining({ result, details: expect.objectContaining({ secretName: 'newer' }) }),
          }),
        );

    const { body } = await codeGrant(service, web);
    await isNamed('ExchangeTokenBy.AuthorizationCode', web);
    await askToken(service, web, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
    await isNamed('ExchangeTokenBy.RefreshToken', web);
    await askToken(service, machine, { grant_type: 'client_credentials', resource: cast.resource });
    await isNamed('ExchangeTokenBy.ClientCredentials', machine);
    await askToken(service, machine, { grant_type: 'client_credentials', resource: 'https://unknown.example' });
    await isNamed('ExchangeTokenBy.ClientCredentials', machine, 'Error');
    expect((await askToken(service, web, await exchangeForm(cast))).status).toBe(200);
    await isNamed('Impersonation.Begin', web);
    await askToken(service, web, await exchangeForm(cast, { resource: 'https://unknown.example' }));
    await isNamed('Impersonation.Refused', web, 'Error');
    await askToken(service, web, { grant_type: 'authorization_code', code: 'nonsense' });
    await isNamed('ExchangeTokenBy.AuthorizationCode', web, 'Error');

    const everything = JSON.stringify(await service.api.must('GET /logs?page_size=100'));
    for (const { clientSecret } of [web, machine]) expect(everything).not.toContain(clientSecret);
    const wrong = await askToken(
      service,
      { ...machine, clientSecret: 'wrong' },
      { grant_type: 'client_credentials', resource: cast.resource },
    );
    expect(wrong.status).toBe(401);
    await expect
      .poll(() => logs('ExchangeTokenBy.ClientCredentials', machine))
      .toContainEqual(
        expect.objectContaining({
          payload: expect.objectContaining({ details: expect.objectContaining({ error: 'invalid_client' }) }),
        }),
      );
    const [refused] = await logs('ExchangeTokenBy.ClientCredentials', machine);
    expect(refused.payload.details).not.toHaveProperty('secretName');
    await cast.spa.exchange({ subject_token: await cast.mint() });
    const [ofPublic] = await logs('Impersonation.Begin', { ...web, clientId: cast.spa.clientId });
    expect(ofPublic.payload.details).not.toHaveProperty('secretName');
  });
});
