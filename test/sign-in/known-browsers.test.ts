import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { authorization, Visitor } from './visitor.ts';

interface Person {
  username: string;
  password: string;
}

/** Returns the status of a sign-in attempt; 303 if it returned to the application. */
async function tryAs(service: TestService, visitor: Visitor, { username, password }: Person): Promise<number> {
  visitor.left = undefined;
  await visitor.open((await authorization(service, { prompt: 'login' })).url);
  await visitor.submit('identifier', { identifier: username });
  const { status } = await visitor.submit('password', { password });
  return status;
}

function browserAt(service: TestService, address: string): Visitor {
  const visitor = new Visitor(service.url);
  visitor.headers = { 'x-forwarded-for': address };
  return visitor;
}

describe.each(databases)('wrong passwords on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, { TRUST_PROXY: 'loopback' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Each test has its own account and networks, because the tests share a service. */
  async function makePerson(username: string): Promise<Person & { id: string }> {
    const person = { username, password: 'violet harbour ninety' };
    const { id } = await service.api.must('POST /users', person);
    return { ...person, id };
  }

  it('from unknown browsers do not lock out a browser that signed in before', async () => {
    const actor = await makePerson('ann');
    const other = await makePerson('other');
    const known = new Visitor(service.url);
    expect(await tryAs(service, known, actor)).toBe(303);
    const cookie = known.cookies.find(({ name }) => name.endsWith('_known'));
    expect(cookie?.value).not.toContain(actor.id);

    const otherVisitor = new Visitor(service.url);
    for (let tries = 0; tries < 10; tries += 1) {
      for (const { username } of [actor, other])
        expect(await tryAs(service, otherVisitor, { username, password: 'not it' })).toBe(422);
    }
    expect(await tryAs(service, otherVisitor, actor)).toBe(429);
    // Known for one account, unknown for the other.
    expect(await tryAs(service, known, other)).toBe(429);
    expect(await tryAs(service, known, actor)).toBe(303);

    // Attempts of a known browser are limited too.
    for (let tries = 0; tries < 10; tries += 1)
      expect(await tryAs(service, known, { ...actor, password: 'not it' })).toBe(422);
    expect(await tryAs(service, known, actor)).toBe(429);
  });

  it('do not lock out other networks, but every address of the same one', async () => {
    const actor = await makePerson('ben');
    for (let tries = 0; tries < 10; tries += 1) {
      const guess = { ...actor, password: 'not it' };
      expect(await tryAs(service, browserAt(service, `2001:db8:1:1::${tries + 1}`), guess)).toBe(422);
    }
    expect(await tryAs(service, browserAt(service, '2001:db8:1:1::ffff'), actor)).toBe(429);
    expect(await tryAs(service, browserAt(service, '2001:db8:1:2::1'), actor)).toBe(303);
  });

  it('from many networks together lock out unknown browsers, but not a known one', async () => {
    const actor = await makePerson('cat');
    const known = browserAt(service, '198.51.100.1');
    expect(await tryAs(service, known, actor)).toBe(303);
    const statuses = new Set<number>();
    for (let network = 0; network < 105; network += 1) {
      const guess = { ...actor, password: 'not it' };
      statuses.add(await tryAs(service, browserAt(service, `203.0.113.${network}`), guess));
    }
    expect([...statuses]).toEqual([422, 429]);
    expect(await tryAs(service, browserAt(service, '198.51.100.2'), actor)).toBe(429);
    expect(await tryAs(service, known, actor)).toBe(303);
  });
});
