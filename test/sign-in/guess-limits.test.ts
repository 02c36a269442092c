import { describe, expect, it } from 'vitest';
import { hashingQueue } from '../../src/sign-in/proofs/passwords.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import { Mailbox } from './mailbox.ts';
import { PASSWORD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const rosa = { username: 'rosa', primaryEmail: 'rosa@example.com', password: PASSWORD };

async function openPasswordPage(service: TestService, visitor: Visitor): Promise<void> {
  visitor.left = undefined;
  await visitor.open((await authorization(service, { prompt: 'login' })).url);
  await visitor.submit('identifier', { identifier: rosa.username });
}

async function signIn(service: TestService, visitor: Visitor, password: string): Promise<number> {
  await openPasswordPage(service, visitor);
  return (await visitor.submit('password', { password })).status;
}

/** Submits a password again and again in one sign-in. Returns the status of each attempt. */
async function attempts(service: TestService, visitor: Visitor, password: string, count: number): Promise<number[]> {
  await openPasswordPage(service, visitor);
  const { action, fields } = visitor.form('password');
  const statuses: number[] = [];
  for (let tries = 0; tries < count; tries += 1) {
    const body = new URLSearchParams({ ...fields, password });
    statuses.push((await visitor.send(action, { method: 'POST', body })).status);
  }
  return statuses;
}

async function atAccount(service: TestService): Promise<Visitor> {
  const visitor = new Visitor(service.url);
  await visitor.open(`${service.url}/account`);
  await visitor.submit('identifier', { identifier: rosa.username });
  await visitor.submit('password', { password: PASSWORD });
  return visitor;
}

describe.each(databases)('limits of password attempts on %s', (kind) => {
  it('do not treat a browser as known after the password has changed', async () => {
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', rosa);
    const before = new Visitor(service.url);
    expect(await signIn(service, before, PASSWORD)).toBe(303);
    await service.api.must(`PATCH /users/${id}/password`, { password: 'copper lantern forty' });
    expect(await attempts(service, before, PASSWORD, 10)).toEqual(Array(10).fill(422));
    // An unknown browser in the same network shares its attempts, so none are left.
    expect(await signIn(service, new Visitor(service.url), 'copper lantern forty')).toBe(429);
  });

  it('apply to many known browsers of one network together', async () => {
    await using service = await startService(kind);
    await service.api.must('POST /users', rosa);
    const known = Array.from({ length: 11 }, () => new Visitor(service.url));
    for (const visitor of known) expect(await signIn(service, visitor, PASSWORD)).toBe(303);
    const statuses: number[] = [];
    for (const visitor of known) statuses.push(...(await attempts(service, visitor, 'not it', 10)));
    expect(statuses.filter((status) => status === 422)).toHaveLength(100);
    expect(statuses.slice(100)).toEqual(Array(10).fill(429));
  });

  it('do not count an attempt for which no hash was computed', async () => {
    await using service = await startService(kind);
    await service.api.must('POST /users', rosa);
    const visitor = await atAccount(service);
    await visitor.open(`${service.url}/account?edit=password`);
    const { call } = await experience(service);
    const identifier = { type: 'email', value: rosa.primaryEmail };
    const tryIt = async () => (await call('POST /verification/password', { identifier, password: PASSWORD })).status;
    const change = (current: string) => visitor.submit('password', { current, password: 'copper lantern forty' });

    const held = Promise.withResolvers<void>();
    const turn = { tenantId: 'default', isInteractive: true };
    const jobs = Array.from({ length: 102 }, () => hashingQueue.compute(turn, () => held.promise));
    for (let tries = 0; tries < 10; tries += 1) expect(await tryIt()).toBe(503);
    for (let tries = 0; tries < 10; tries += 1) expect((await change(PASSWORD)).status).toBe(503);
    held.resolve();
    await Promise.all(jobs);
    expect(await tryIt()).toBe(200);
    expect((await change(PASSWORD)).url.search).toBe('?saved');
  });

  it('cap the notices to an owner about many changes, and save every change', async () => {
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
    // Another kind of change still sends a notice, so changing names cannot suppress it.
    await visitor.open(`${service.url}/account?edit=password`);
    await visitor.submit('password', { current: PASSWORD, password: 'copper lantern forty' });
    await expect
      .poll(() => mailbox.mails.some(({ text }) => String(text).includes('The password was changed')))
      .toBe(true);
    await service.stop();
    expect(mailbox.mails).toHaveLength(6);
  });
});
