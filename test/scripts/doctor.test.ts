import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../scripts/checks/finding.ts';
import { examine } from '../../scripts/doctor.ts';
import { connect } from '../../src/database/connect.ts';
import { childEnvironment } from '../support/compile-cache.ts';
import { createDatabase, databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const root = join(import.meta.dirname, '../..');
const named = (findings: Finding[], level: Finding['level']) =>
  findings.filter((finding) => finding.level === level).map(({ check }) => check);

describe.each(databases)('doctor on %s', (kind) => {
  const key = randomBytes(32).toString('base64');
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind, { SECRET_KEY: key });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const environment = ({ url, dataDir, databaseUrl } = service) => ({
    SECRET_KEY: key,
    PORT: new URL(url).port,
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  });
  /** The tests' PostgreSQL is not durable on purpose, and its user is a superuser. */
  const expectedInTests = ['database.durability', 'database.permissions'];
  const unexpected = (findings: Finding[]) =>
    findings.filter(({ check, level }) => level !== 'ok' && check !== 'sandbox' && !expectedInTests.includes(check));

  it('finds no problem with a running service', async () => {
    const findings = await examine(environment());
    expect(unexpected(findings)).toEqual([]);
    expect(named(findings, 'ok')).toEqual(
      expect.arrayContaining([
        'configuration',
        'database.version',
        'database.migrations',
        'secret-key',
        'disk',
        'sandbox',
      ]),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: 'endpoint.default', level: 'ok' }));
    expect(named(findings, 'fault')).toEqual(kind === 'sqlite' ? [] : ['database.durability']);
  });

  it('exits with 1 if there is a fault', async () => {
    const run = promisify(execFile)(process.execPath, ['scripts/cli.ts', 'doctor', '--json'], {
      cwd: root,
      env: { ...childEnvironment, ...environment() },
    });
    const { stdout, code = 0 } = await run.catch((error) => error);
    expect(code).toBe(kind === 'sqlite' ? 0 : 1);
    expect(JSON.parse(stdout)).toMatchObject({ faults: code, findings: expect.any(Array) });
  });

  it('reports a wrong secret key and an unfinished key rotation', async () => {
    const other = randomBytes(32).toString('base64');
    const wrong = await examine({ ...environment(), SECRET_KEY: other });
    expect(named(unexpected(wrong), 'fault')).toEqual(['secret-key']);
    const midway = await examine({ ...environment(), SECRET_KEY: other, SECRET_KEY_PREVIOUS: key });
    expect(midway).toContainEqual(
      expect.objectContaining({ check: 'secret-key', advice: expect.stringContaining('rotate-secret-key') }),
    );
  });

  it('reports a webhook with a forbidden address and a disabled webhook', async () => {
    const config = { url: 'http://127.0.0.1:1/hook' };
    const { id } = await service.api.must('POST /hooks', { name: 'Near', events: ['User.Created'], config });
    const narrow = await examine({ ...environment(), WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' });
    expect(named(unexpected(narrow), 'warning')).toEqual(['webhooks.address']);
    const { databaseUrl, dataDir } = service;
    const database = connect({ databaseUrl, dataDir, poolSize: 2 });
    await database.write((db) => db('hooks').where({ id }).update({ enabled: false, disabledReason: 'gone' }));
    await database.close();
    expect(named(unexpected(await examine(environment())), 'warning')).toEqual(['webhooks.off']);
    await service.api.must(`DELETE /hooks/${id}`);
  });

  it('reports an endpoint that does not respond, a newer database and a slow clock', async () => {
    await using stopped = await startService(kind, { SECRET_KEY: key });
    await stopped.api.must('POST /users', { username: 'audited' });
    await stopped.stop();
    const { databaseUrl, dataDir } = stopped;
    const database = connect({ databaseUrl, dataDir, poolSize: 2 });
    await database.write((db) => db('auditLog').update({ createdAt: Date.now() + 3_600_000 }));
    expect(named(unexpected(await examine(environment(stopped))), 'fault')).toEqual(['clock', 'endpoint.default']);
    await database.write((db) => db('migrations').insert({ name: '999_future', batch: 9 }));
    await database.close();
    expect(named(unexpected(await examine(environment(stopped))), 'fault')).toEqual(['database.migrations']);
  });
});

describe('doctor without a database', () => {
  it('names every invalid variable', async () => {
    const findings = await examine({ PORT: 'x', TRUST_PROXY: 'someone' });
    expect(findings.map(({ level, message }) => [level, message.split(':')[0]])).toEqual([
      ['fault', 'PORT'],
      ['fault', 'TRUST_PROXY'],
    ]);
  });

  it('reports insecure settings for a public endpoint, and files that others can read', async () => {
    await using place = await createDatabase('sqlite');
    const key = join(place.dataDir, 'secret.key');
    await mkdir(key);
    await chmod(place.dataDir, 0o755);
    const env = { DATA_DIR: place.dataDir, ENDPOINT: 'http://id.example.com', DEMO: 'true', TRUST_PROXY: 'true' };
    const findings = await examine({ ...env, WEBHOOK_ALLOWED_NETWORKS: '0.0.0.0/0' });
    expect(named(findings, 'fault')).toEqual(['configuration.endpoint', 'files']);
    expect(named(findings, 'warning')).toEqual(
      expect.arrayContaining(['configuration.proxy', 'configuration.demo', 'configuration.messages', 'webhooks.guard']),
    );
  });

  it('reports each file that others can read, unless they cannot open its folder', async () => {
    await using place = await createDatabase('sqlite');
    const files = ['understudy.db-wal', 'server.lock', 'outbox', 'secret.key'];
    for (const file of files) {
      await writeFile(join(place.dataDir, file), '');
      await chmod(join(place.dataDir, file), file === 'secret.key' ? 0o600 : 0o644);
    }
    const fileFindings = async () =>
      (await examine({ DATA_DIR: place.dataDir })).filter(({ check }) => check === 'files');
    await chmod(place.dataDir, 0o755);
    expect((await fileFindings()).map(({ level, message }) => [level, message.split(' ')[0]])).toEqual(
      ['outbox', 'server.lock', 'understudy.db-wal'].map((file) => ['fault', join(place.dataDir, file)]),
    );
    await chmod(place.dataDir, 0o700);
    expect(await fileFindings()).toEqual([expect.objectContaining({ level: 'ok' })]);
  });

  it('reports a database that does not respond', async () => {
    const findings = await examine({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', DATA_DIR: root });
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'database', level: 'fault', advice: expect.stringContaining('DATABASE_URL') }),
    );
  });
});
