import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** Returns the interaction it receives, or the text `nothing`. Rejected: no claim at all, which a failed script would give too. */
const SCRIPT = `const getCustomJwtClaims = ({ context }) => ({ seen: 'interaction' in context ? context.interaction : 'nothing' });`;

const PASSWORD = 'violet harbour ninety';

describe.each(databases)('context.interaction of a claims script, on %s', (kind) => {
  let service: TestService;
  let userId: string;
  beforeAll(async () => {
    service = await startService(kind);
    await service.api.must('PUT /configs/jwt-customizer/access-token', { script: SCRIPT });
    ({ id: userId } = await service.api.must('POST /users', { username: 'wilma', password: PASSWORD }));
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const seenIn = (token: string) => decodeJwt<{ seen: unknown }>(token).seen;

  /** Signs in and returns tokens for the demo's resource. */
  async function tokensOf(visitor: Visitor) {
    const { resource } = service.credentials.demo;
    const { client, url, tokensAt } = await authorization(service, {
      scope: 'openid offline_access',
      prompt: 'login consent',
      resource,
    });
    await visitor.open(url);
    await visitor.submit('identifier', { identifier: 'wilma' });
    await visitor.submit('password', { password: PASSWORD });
    return { client, resource, tokens: await tokensAt(visitor.left as URL, { resource }) };
  }

  it('describes the sign-in of the session, also after the token is refreshed', async () => {
    const { client, resource, tokens } = await tokensOf(new Visitor(service.url));
    const expected = { interactionEvent: 'SignIn', userId, verificationRecords: [{ type: 'Password' }] };
    expect(seenIn(tokens.access_token)).toEqual(expected);
    const refreshed = await oauth.refreshTokenGrant(client, tokens.refresh_token as string, { resource });
    expect(seenIn(refreshed.access_token)).toEqual(expected);
  });

  it('describes the same sign-in in a later authorization of the session', async () => {
    const visitor = new Visitor(service.url);
    const first = await tokensOf(visitor);
    const { resource } = first;
    const { url, tokensAt } = await authorization(service, { scope: 'openid', resource });
    visitor.left = undefined;
    await visitor.open(url);
    const { access_token } = await tokensAt(visitor.left as unknown as URL, { resource });
    expect(seenIn(access_token)).toMatchObject({ verificationRecords: [{ type: 'Password' }] });
  });

  it('is absent in a token exchange, which has no sign-in', async () => {
    const cast = castOf(service);
    const actor_token = await cast.spa.signIn(cast.alice);
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint(), actor_token });
    expect(seenIn(body.access_token)).toBe('nothing');
  });
});
