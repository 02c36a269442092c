import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { signIn } from '../../scripts/support/sign-in.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('an ID token on %s', (kind) => {
  it('expires after the lifetime set for its application', async () => {
    await using service = await startService(kind);
    const { alice } = castOf(service);
    const { clientId, redirectUri } = service.credentials.demo;
    const lifetime = async () => {
      const of = { endpoint: service.url, clientId, redirectUri, person: alice, scope: 'openid' };
      const { exp = 0, iat = 0 } = decodeJwt((await signIn(of)).tokens.id_token as string);
      return exp - iat;
    };
    expect(await lifetime()).toBe(3600);
    await service.api.must(`PATCH /applications/${clientId}`, { customClientMetadata: { idTokenTtl: 300 } });
    expect(await lifetime()).toBe(300);
  });
});
