import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/base/times.ts';
import { ManagementClient } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { createMigrated, databases } from '../support/databases.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

it.each(databases)('keeps working while its clock jumps an hour forward and back (%s)', async (kind) => {
  await using database = await createMigrated(kind);
  await using receiver = await WebhookReceiver.start();
  await using service = await ServiceProcess.on(database, {
    env: { DEMO: 'true', LOG_LEVEL: 'fatal' },
    preload: ['test/faults/shift-clock.ts'],
  });
  await service.start();
  const credentials = await service.credentials();
  const { managementApiIndicator, machine } = credentials;
  const config = { url: receiver.url };
  const keys = createRemoteJWKSet(new URL(`${service.url}/oidc/jwks`));

  /** Uses the main functions, with clients whose clocks jump too. `count` numbers the calls, from 1. */
  async function useAll(count: number, shift: number): Promise<void> {
    const api = new ManagementClient(service.url, managementApiIndicator, machine);
    const { spa, alice, bob, resource } = castOf({ url: service.url, api, credentials });
    if (count === 1) await api.must('POST /hooks', { name: 'Jumps', events: ['User.Created'], config });
    await api.must('POST /users', { username: `jump${count}` });
    await receiver.reach(count);
    const { subjectToken: subject_token } = await api.must('POST /subject-tokens', { userId: bob.id });
    const { status, body } = await spa.exchange({ subject_token, actor_token: await spa.signIn(alice) });
    expect([status, body.error_description]).toEqual([200, undefined]);
    const currentDate = new Date(Date.now() + shift);
    const { payload } = await jwtVerify(body.access_token, keys, { audience: resource, currentDate });
    expect(payload).toMatchObject({ sub: bob.id, act: { sub: alice.id } });
    expect((await spa.exchange({ subject_token })).status).toBe(400);
  }

  await useAll(1, 0);
  const old = new ManagementClient(service.url, managementApiIndicator, machine);
  expect((await old.call('GET /roles')).status).toBe(200);

  service.signal('SIGUSR2');
  await expect.poll(async () => (await old.call('GET /roles')).status).toBe(401); // It has expired.
  await useAll(2, HOUR_MS);
  const ahead = new ManagementClient(service.url, managementApiIndicator, machine);
  await ahead.must('GET /roles');

  service.signal('SIGUSR2');
  await expect.poll(async () => (await old.call('GET /roles')).status).toBe(200);
  await useAll(3, 0);
  // Rows written while the clock was ahead can be read and changed like others.
  const [role] = await old.must('GET /roles');
  await old.must(`PATCH /roles/${role.id}`, { description: 'after the jump' });
  expect((await old.must(`GET /roles/${role.id}`)).description).toBe('after the jump');
  expect(service.isDead).toBe(false);
});
