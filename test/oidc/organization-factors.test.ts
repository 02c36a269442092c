import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { askToken, codeGrant, type OAuthApplication, registerApplication } from '../support/code-grant.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const RESERVED = 'urn:logto:resource:organizations';
const [OPEN, GUARDED, WITHIN] = ['read:open', 'read:guarded', 'write:orders'];
const REQUESTED = `${OPEN} ${GUARDED} ${WITHIN}`;

describe.each(databases)('token requests without an organization on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  let web: OAuthApplication;
  /** An organization that requires a second factor. Alice and Bob have roles there, and in one that does not. */
  let guarded: string;

  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
    const { api } = service;
    const make = async (route: string, body: object): Promise<string> => (await api.must(`POST ${route}`, body)).id;
    const known: { id: string; indicator: string }[] = await api.must('GET /resources');
    const orders = known.find(({ indicator }) => indicator === cast.resource)?.id;
    const within = await make(`/resources/${orders}/scopes`, { name: WITHIN });
    const join = async (name: string, permission: string, resourceScopeIds: string[]): Promise<string> => {
      const organization = await make('/organizations', { name });
      const organizationScopeIds = [await make('/organization-scopes', { name: permission })];
      const role = await make('/organization-roles', { name, organizationScopeIds, resourceScopeIds });
      const userIds = [cast.alice.id, cast.bob.id];
      await api.must(`POST /organizations/${organization}/users`, { userIds });
      await api.must(`POST /organizations/${organization}/users/roles`, { userIds, organizationRoleIds: [role] });
      return organization;
    };
    await join('Open', OPEN, []);
    guarded = await join('Guarded', GUARDED, [within]);
    web = await registerApplication(service, 'Traditional');
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const scopeOf = ({ body }: Answer) => body.scope;
  const exchanged = async (resource: string) =>
    scopeOf(await cast.spa.exchange({ subject_token: await cast.mint(), resource, scope: REQUESTED }));

  it('ignore roles in an organization that requires a second factor the user lacks', async () => {
    const scope = `openid offline_access urn:logto:scope:organizations ${REQUESTED}`;
    const tokens = new Map<string, string>();
    for (const resource of [RESERVED, cast.resource])
      tokens.set(resource, (await codeGrant(service, web, { scope, resource })).body.refresh_token);
    /** Scopes of Alice's token from a refresh and of Bob's from an exchange. */
    const scopesAt = async (resource: string) => {
      const form = { grant_type: 'refresh_token', refresh_token: tokens.get(resource) as string, resource };
      return [scopeOf(await askToken(service, web, form)), await exchanged(resource)];
    };
    expect(await scopesAt(cast.resource)).toEqual([WITHIN, WITHIN]);
    await service.api.must(`PATCH /organizations/${guarded}`, { isMfaRequired: true });
    expect(await scopesAt(RESERVED)).toEqual([OPEN, OPEN]);
    expect(await scopesAt(cast.resource)).toEqual(['', '']);

    const factors = `/users/${cast.bob.id}/mfa-verifications`;
    await service.api.must(`POST ${factors}`, { type: 'BackupCode' });
    expect(await exchanged(cast.resource)).toBe('');
    await service.api.must(`POST ${factors}`, { type: 'Totp' });
    expect([await exchanged(RESERVED), await exchanged(cast.resource)]).toEqual([`${OPEN} ${GUARDED}`, WITHIN]);
    await service.api.must(`PATCH /organizations/${guarded}`, { isMfaRequired: false });
    expect(await scopesAt(cast.resource)).toEqual([WITHIN, WITHIN]);
  });
});
