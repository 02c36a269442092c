import { describe, expect, it } from 'vitest';
import { hashingLine } from '../../src/sign-in/proofs/passwords.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import { Mailbox } from './mailbox.ts';
import { GOOD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const rosa = { username: 'rosa', primaryEmail: 'rosa@example.com', password: GOOD };

async function signIn(service: TestService, visitor: Visitor, password: string): Promise<number> {
  visitor.left = undefined;
  await visitor.open((await authorization(service, { prompt: 'login' })).url);
  await visitor.submit('identifier', { identifier: rosa.username });
  return (await visitor.submit('password', { password })).status;
}

async function atAccount(service: TestService): Promise<Visitor> {
  const visitor = new Visitor(service.url);
  await visitor.open(`${service.url}/account`);
  await visitor.submit('identifier', { identifier: rosa.username });
  await visitor.submit('password', { password: GOOD });
  return visitor;
}

describe.each(databases)('limits of guesses on %s', (kind) => {
  it('does not take a browser for a known one after the password has changed', async () => {
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', rosa);
    const before = new Visitor(service.url);
    expect(await signIn(service, before, GOOD)).toBe(303);
    await service.api.must(`PATCH /users/${id}/password`, { password: 'copper lantern forty' });
    for (let tries = 0; tries < 10; tries += 1) expect(await signIn(service, before, GOOD)).toBe(422);
    // A stranger of the same network shares its tries, so it has none left.
    expect(await signIn(service, new Visitor(service.url), 'copper lantern forty')).toBe(429);
  });

  it('does not let many known browsers of one network guess without a common limit', async () => {
    await using service = await startService(kind);
    await service.api.must('POST /users', rosa);
    const known = Array.from({ length: 11 }, () => new Visitor(service.url));
    for (const visitor of known) expect(await signIn(service, visitor, GOOD)).toBe(303);
    const statuses: number[] = [];
    for (const visitor of known)
      for (let tries = 0; tries < 10; tries += 1) statuses.push(await signIn(service, visitor, 'not it'));
    expect(statuses.filter((status) => status === 422)).toHaveLength(100);
    expect(statuses.slice(100)).toEqual(Array(10).fill(429));
  });

  it('does not count a try that no password was computed for', async () => {
    await using service = await startService(kind);
    await service.api.must('POST /users', rosa);
    const visitor = await atAccount(service);
    await visitor.open(`${service.url}/account?edit=password`);
    const { call } = await experience(service);
    const identifier = { type: 'email', value: rosa.primaryEmail };
    const tryIt = async () => (await call('POST /verification/password', { identifier, password: GOOD })).status;
    const change = (current: string) => visitor.submit('password', { current, password: 'copper lantern forty' });

    const held = Promise.withResolvers<void>();
    const turn = { tenantId: 'default', isPerson: true };
    const jobs = Array.from({ length: 102 }, () => hashingLine.compute(turn, () => held.promise));
    for (let tries = 0; tries < 10; tries += 1) expect(await tryIt()).toBe(503);
    for (let tries = 0; tries < 10; tries += 1) expect((await change(GOOD)).status).toBe(503);
    held.resolve();
    await Promise.all(jobs);
    expect(await tryIt()).toBe(200);
    expect((await change(GOOD)).url.search).toBe('?saved');
  });

  it('does not mail an owner about every one of many changes, and makes them all', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    const { id } = await service.api.must('POST /users', rosa);
    const visitor = await atAccount(service);
    const rename = async (username: string) => {
      await visitor.open(`${service.url}/account?edit=username`);
      expect((await visitor.submit('username', { identifier: username })).url.search).toBe('?saved');
    };
    for (let change = 1; change <= 8; change += 1) await rename(`rosa${change}`);
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ username: 'rosa8' });
    // Another kind of change is still told, so nobody can silence it by changing names.
    await visitor.open(`${service.url}/account?edit=password`);
    await visitor.submit('password', { current: GOOD, password: 'copper lantern forty' });
    await expect
      .poll(() => mailbox.mails.some(({ text }) => String(text).includes('The password was changed')))
      .toBe(true);
    await service.stop();
    expect(mailbox.mails).toHaveLength(6);
  });
});
