import { expect, it } from 'vitest';
import { postForm } from '../support/call.ts';
import { createDatabase, execute } from '../support/databases.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

const BIG = 'x'.repeat(50_000);

it("responds 503 while SQLite's disk is full, still reads, and recovers by itself", async () => {
  await using database = await createDatabase('sqlite');
  await using service = await ServiceProcess.on(database, {
    env: { LOG_LEVEL: 'fatal' },
    preload: ['test/faults/fill-disk.ts'],
  });
  await service.start();
  const api = await service.api();
  const { id } = await api.must('POST /users', { username: 'before' });
  let count = 0;
  const write = () => {
    count += 1;
    return api.call('POST /users', { username: `user${count}`, customData: { BIG } });
  };

  service.signal('SIGUSR2');
  await expect.poll(async () => (await write()).status, { timeout: 20_000, interval: 1 }).toBe(503);
  const [one, another] = await Promise.all([write(), write()]); // These share one commit.
  for (const { status, body, headers } of [one, another]) {
    expect([status, body.code, body.data]).toEqual([503, 'request.unavailable', { reason: 'database_full' }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect((await api.call(`GET /users/${id}`)).status).toBe(200);
  expect(service.isDead).toBe(false);

  service.signal('SIGUSR2');
  await expect.poll(async () => (await write()).status).toBe(200);
});

it('responds 503 with a reason while PostgreSQL is read-only or its disk is full', async () => {
  await using service = await startService('postgres');
  const url = service.databaseUrl ?? '';
  const name = new URL(url).pathname.slice(1);
  const { demo, machine, managementApiIndicator } = service.credentials;
  const write = () => service.api.call('POST /subject-tokens', { userId: demo.subject.id });
  const { subjectToken } = (await write()).body;
  const exchange = () =>
    postForm(`${service.url}/oidc/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: demo.clientId,
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      resource: demo.resource,
    });

  const endSessions = () =>
    execute(
      url,
      `select pg_terminate_backend(pid, 10_000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  // Like the old primary after a failover: sessions end, and new ones are read-only.
  await execute(url, `alter database ${name} set default_transaction_read_only = true`);
  await endSessions();
  await expect.poll(async () => (await write()).body?.data).toEqual({ reason: 'database_read_only' });
  const refused = await exchange();
  expect([refused.status, refused.body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(refused.headers.get('retry-after')).toBe('10');
  const plain = { grant_type: 'client_credentials', resource: managementApiIndicator, scope: 'all' };
  const authorization = `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}`;
  expect((await postForm(`${service.url}/oidc/token`, plain, { authorization })).status).toBe(200);

  await execute(`${url}?options=-c default_transaction_read_only=off`, `alter database ${name} reset all`);
  await endSessions();
  await expect.poll(async () => (await write()).status).toBe(201);
  expect((await exchange()).status).toBe(200);

  // The error of a server whose disk is full.
  await execute(
    url,
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = 'disk_full'; end $$;
     create trigger fail before insert on subject_tokens for each row execute function fail()`,
  );
  const full = await write();
  expect([full.status, full.body.data]).toEqual([503, { reason: 'database_full' }]);
  await execute(url, 'drop trigger fail on subject_tokens');
  expect((await write()).status).toBe(201);
});
