import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorization, Visitor } from '../sign-in/visitor.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** Shows what it is told. A failure that hides itself would pass for "nothing". */
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

  /** A sign-in for the demonstration's resource; without typing where the browser is signed in already. */
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

  it('is the sign-in that the token comes from, also when the token is refreshed', async () => {
    const { client, resource, tokens } = await tokensOf(new Visitor(service.url));
    const expected = { interactionEvent: 'SignIn', userId, verificationRecords: [{ type: 'Password' }] };
    expect(seenIn(tokens.access_token)).toEqual(expected);
    const refreshed = await oauth.refreshTokenGrant(client, tokens.refresh_token as string, { resource });
    expect(seenIn(refreshed.access_token)).toEqual(expected);
  });

  it('is the same in a later authorization of the same session', async () => {
    const visitor = new Visitor(service.url);
    const first = await tokensOf(visitor);
    const { resource } = first;
    const { url, tokensAt } = await authorization(service, { scope: 'openid', resource });
    visitor.left = undefined;
    await visitor.open(url);
    const { access_token } = await tokensAt(visitor.left as unknown as URL, { resource });
    expect(seenIn(access_token)).toMatchObject({ verificationRecords: [{ type: 'Password' }] });
  });

  it('is absent where nobody signed in for the token: an exchange', async () => {
    const cast = castOf(service);
    const actor_token = await cast.spa.signIn(cast.alice);
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint(), actor_token });
    expect(seenIn(body.access_token)).toBe('nothing');
  });
});
