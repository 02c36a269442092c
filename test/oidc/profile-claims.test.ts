import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../support/call.ts';
import { codeGrant, type OAuthApplication, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const PASSWORD = 'correct horse battery';

/** A complete `profile` of a user (OpenID Connect Core §5.1). */
const PROFILE = {
  givenName: 'Grace',
  familyName: 'Hopper',
  middleName: 'Brewster',
  nickname: 'Amazing',
  preferredUsername: 'grace.h',
  profile: 'https://people.example/grace',
  website: 'https://grace.example',
  gender: 'female',
  birthdate: '1906-12-09',
  zoneinfo: 'America/New_York',
  locale: 'en-US',
};
const ADDRESS = {
  formatted: '1 Main St',
  streetAddress: 'Main St 1',
  locality: 'Arlington',
  region: 'VA',
  postalCode: '22201',
  country: 'US',
};

describe.each(databases)('user claims on %s', (kind) => {
  let service: TestService;
  let spa: OAuthApplication;
  beforeAll(async () => {
    service = await startService(kind);
    spa = await registerApplication(service, 'SPA');
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Returns the claims of the ID token, after checking that userinfo has the same. */
  async function claimsOf(fields: object, username: string, scope: string) {
    await service.api.must('POST /users', { username, password: PASSWORD, ...fields });
    const { body } = await codeGrant(service, spa, { scope }, { username, password: PASSWORD });
    const authorization = `Bearer ${body.access_token}`;
    const userinfo = await getJson(`${service.url}/oidc/me`, { authorization });
    expect(decodeJwt(body.id_token)).toMatchObject(userinfo);
    return userinfo;
  }

  it('include the standard claims of the stored profile', async () => {
    const profile = { ...PROFILE, address: ADDRESS };
    const claims = await claimsOf({ profile, name: 'Grace Hopper' }, 'grace', 'openid profile address');
    expect(claims).toMatchObject({
      name: 'Grace Hopper',
      username: 'grace',
      given_name: 'Grace',
      family_name: 'Hopper',
      middle_name: 'Brewster',
      nickname: 'Amazing',
      preferred_username: 'grace.h',
      profile: 'https://people.example/grace',
      website: 'https://grace.example',
      gender: 'female',
      birthdate: '1906-12-09',
      zoneinfo: 'America/New_York',
      locale: 'en-US',
      address: {
        formatted: '1 Main St',
        street_address: 'Main St 1',
        locality: 'Arlington',
        region: 'VA',
        postal_code: '22201',
        country: 'US',
      },
    });
  });

  it('omit unknown values and claims that were not requested', async () => {
    const claims = await claimsOf({ profile: { nickname: 'Al' } }, 'alan', 'openid profile email phone address');
    expect(Object.keys(claims).sort()).toEqual(['created_at', 'nickname', 'sub', 'updated_at', 'username']);
    const fields = { profile: { ...PROFILE, address: ADDRESS }, primaryEmail: 'ada@example.com' };
    const few = await claimsOf(fields, 'ada', 'openid email');
    expect(few).toEqual({ sub: expect.any(String), email: 'ada@example.com', email_verified: true });
  });

  it('are announced in discovery', async () => {
    const { claims_supported: claims, scopes_supported: scopes } = await getJson(
      `${service.url}/oidc/.well-known/openid-configuration`,
    );
    expect(scopes).toContain('address');
    expect(claims).toEqual(expect.arrayContaining(['given_name', 'birthdate', 'address']));
  });
});
