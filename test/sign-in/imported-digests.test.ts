import { setImmediate, setTimeout } from 'node:timers/promises';
import { hash } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { withRows } from '../support/rows-of.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { NotedPasswords } from './noted-passwords.ts';
import { secondTenant } from './second-tenant.ts';
import { authorization, Visitor } from './visitor.ts';

const argon2 = (cost: string, tag = 'A'.repeat(43)) => `$argon2id$v=19$${cost}$${'A'.repeat(22)}$${tag}`;
const bcryptOf = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;

const tooCostly = {
  'all that Argon2 can take': ['Argon2id', argon2('m=4294967295,t=4294967295,p=1')],
  'much memory': ['Argon2id', argon2('m=262145,t=1,p=1')],
  'many passes': ['Argon2id', argon2('m=8192,t=11,p=1')],
  'many lanes': ['Argon2id', argon2('m=8192,t=1,p=9')],
  'much memory in many passes': ['Argon2id', argon2('m=262144,t=5,p=1')],
  'a long tag': ['Argon2id', argon2('m=8192,t=1,p=1', 'A'.repeat(400))],
  'bcrypt of cost 31': ['Bcrypt', bcryptOf(31)],
  'bcrypt of cost 15': ['Bcrypt', bcryptOf(15)],
} as const;

/** Digests that cannot be verified: the library refuses them, or returns at once and so would reveal the account. */
const unverifiable = {
  'Argon2 without memory': ['Argon2id', argon2('m=0,t=1,p=1')],
  'less than 8 KiB for each lane': ['Argon2id', argon2('m=63,t=1,p=8')],
  'Argon2 without a pass': ['Argon2id', argon2('m=19456,t=0,p=1')],
  'Argon2 without a lane': ['Argon2id', argon2('m=19456,t=2,p=0')],
  'a number with leading zeros': ['Argon2id', argon2('m=0019456,t=2,p=1')],
  'a salt of 7 bytes': ['Argon2id', `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(10)}$${'A'.repeat(43)}`],
  'a salt that is no Base64': ['Argon2id', `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(21)}$${'A'.repeat(43)}`],
  'a salt with bits to spare': ['Argon2id', `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(21)}B$${'A'.repeat(43)}`],
  'a tag of 3 bytes': ['Argon2id', argon2('m=19456,t=2,p=1', 'AAAA')],
  'a tag with bits to spare': ['Argon2id', argon2('m=19456,t=2,p=1', `${'A'.repeat(42)}B`)],
  'bcrypt of cost 3': ['Bcrypt', bcryptOf(3)],
  'bcrypt of cost 0': ['Bcrypt', bcryptOf(0)],
  'a bcrypt salt with bits to spare': ['Bcrypt', `$2b$10$${'.'.repeat(21)}9${'.'.repeat(31)}`],
  'a bcrypt tag with bits to spare': ['Bcrypt', `$2b$10$${'.'.repeat(52)}9`],
} as const;

async function tryToSignIn(service: TestService, username: string, password: string) {
  const visitor = new Visitor(service.url);
  await visitor.open((await authorization(service)).url);
  await visitor.submit('identifier', { identifier: username });
  return { page: await visitor.submit('password', { password }), left: visitor.left };
}

describe.each(databases)('imported password digests on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('refuses a digest above the cost ceiling, and reports the ceiling', async () => {
    for (const [what, [passwordAlgorithm, passwordDigest]] of Object.entries(tooCostly)) {
      const { status, body } = await service.api.call('POST /users', { passwordAlgorithm, passwordDigest });
      expect({ status, code: body.code }, what).toEqual({ status: 422, code: 'password.unsupported_digest' });
      expect(body.message).toContain('262144 KiB');
    }
  });

  it('refuses a digest that nothing can verify', async () => {
    for (const [what, [passwordAlgorithm, passwordDigest]] of Object.entries(unverifiable)) {
      const { status, body } = await service.api.call('POST /users', { passwordAlgorithm, passwordDigest });
      expect({ status, code: body.code }, what).toEqual({ status: 422, code: 'password.unsupported_digest' });
    }
  });

  it('accepts the costs that other systems recommend', async () => {
    const digests = {
      Argon2id: await hash('correct horse', { memoryCost: 65_536, timeCost: 3, parallelism: 4 }),
      Bcrypt: await bcrypt('correct horse', 4),
    };
    for (const [passwordAlgorithm, passwordDigest] of Object.entries(digests)) {
      const { id } = await service.api.must('POST /users', { passwordAlgorithm, passwordDigest });
      const verified = await service.api.call(`POST /users/${id}/password/verify`, { password: 'correct horse' });
      expect(verified.status).toBe(204);
    }
  });

  it('does not compute a stored digest above the ceiling, responds as to a wrong password and records the reason', async () => {
    const { id } = await service.api.must('POST /users', { username: 'older', password: 'correct horse' });
    // The password is right, only the cost is refused. Bcrypt with cost 31 would take days.
    const passwordHash = bcryptOf(31);
    await withRows(service, (store) => store.change('users', { id }, { passwordHash }));
    const { page, left } = await tryToSignIn(service, 'older', 'correct horse');
    const wrong = await tryToSignIn(service, service.credentials.demo.actor.username, 'not it');
    expect(left).toBeUndefined();
    expect(page.status).toBe(422);
    expect(page.text.replace('older', '')).toBe(wrong.page.text.replace(service.credentials.demo.actor.username, ''));
    expect(await service.api.call(`POST /users/${id}/password/verify`, { password: 'x' })).toMatchObject({
      status: 422,
      body: { code: 'password.unsupported_digest' },
    });
    const audited = await service.api.must('GET /logs?logKey=SignIn.Password');
    expect(audited).toMatchObject([
      expect.anything(),
      { payload: { userId: id, result: 'Error', details: { reason: 'password.unsupported_digest' } } },
    ]);
  });

  it('does not reveal by its work that an account does not exist if accounts have imported digests', async () => {
    const passwords = new NotedPasswords();
    await using service = await startService(kind, { DEMO: 'false' }, undefined, { passwords });
    const passwordDigest = await bcrypt('correct horse', 12);
    for (const username of ['ann', 'ben', 'cat'])
      await service.api.must('POST /users', { username, passwordAlgorithm: 'Bcrypt', passwordDigest });
    const { id: clientId } = await service.api.must('POST /applications', {
      name: 'App',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: ['http://localhost:1/callback'], postLogoutRedirectUris: [] },
    });
    const application = { clientId, redirectUri: 'http://localhost:1/callback' };
    for (const identifier of ['ann', 'nobody']) {
      const visitor = new Visitor(service.url);
      await visitor.open((await authorization(service, {}, application)).url);
      await visitor.submit('identifier', { identifier });
      expect((await visitor.submit('password', { password: 'not it' })).status).toBe(422);
      expect(passwords.takeCosts(), identifier).toEqual(['2b 12']);
    }
  });

  it('does not let a burst at one tenant block sign-ins at another', async () => {
    await using service = await startService(kind);
    const { api } = await secondTenant(service);
    const { actor } = service.credentials.demo;
    const statuses = new Set<number>();
    let isOver = false;
    // Always more concurrent requests than one tenant may queue.
    const crowd = Array.from({ length: 130 }, async (_, index) => {
      for (let round = 0; !isOver; round += 1) {
        const username = `crowd_${index}_${round}`;
        const { status } = await api.call('POST /users', { username, password: 'correct horse' });
        statuses.add(status);
        if (status === 503) await setTimeout(20); // The refused ones are enough to take each free place at once.
      }
    });
    while (!statuses.has(503)) await setImmediate();
    const tries = await Promise.all(
      Array.from({ length: 4 }, () => tryToSignIn(service, actor.username, actor.password)),
    );
    expect(tries.map(({ left }) => left?.searchParams.has('code'))).toEqual([true, true, true, true]);
    isOver = true;
    await Promise.all(crowd);
    expect([...statuses].sort()).toEqual([200, 503]);
  });
});
