import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getJson, ManagementClient } from './support/call.ts';
import { createDatabase } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { start } from './support/start-process.ts';

const CLIENT = {
  clientId: expect.stringMatching(/^[0-9a-z]{21}$/),
  clientSecret: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
};

describe('the process', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'understudy-start-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('creates a tenant at its first start only, drains and exits 0', async () => {
    const port = await freePort();
    const env = { PORT: String(port), DATA_DIR: dataDir };
    const first = start(env);
    await first.until('understudy is ready');
    const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    expect(credentials).toEqual({
      endpoint: `http://localhost:${port}`,
      managementApiIndicator: `http://localhost:${port}/api`,
      machine: CLIENT,
      operator: CLIENT,
      demo: {
        clientId: expect.any(String),
        redirectUri: expect.any(String),
        resource: expect.any(String),
        scope: expect.any(String),
        actor: { id: expect.any(String), username: expect.any(String), password: expect.any(String) },
        subject: { id: expect.any(String) },
      },
    });
    for (const file of ['credentials.json', 'secret.key', 'understudy.db', 'server.lock'])
      expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
    expect(await (await fetch(`http://localhost:${port}/readyz`)).json()).toEqual({ status: 'ready' });
    const verbose = await getJson(`http://localhost:${port}/readyz?verbose`);
    expect(verbose.sandbox.layers).toContain('jitless');

    const second = start({ ...env, PORT: String(await freePort()) });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('is in use by another running process');
    expect(await first.stop()).toBe(0);

    const third = start(env);
    await third.until('understudy is ready');
    expect(third.output()).not.toContain('First start');
    const api = new ManagementClient(credentials.endpoint, credentials.managementApiIndicator, credentials.machine);
    expect((await api.call('GET /users')).body).toHaveLength(2);
    expect(await third.stop('SIGINT')).toBe(0);
  });

  it('keeps secrets out of the database file and the log', async () => {
    const { machine, demo } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    const bytes = Buffer.concat(
      await Promise.all(
        ['understudy.db', 'understudy.db-wal'].map((file) =>
          readFile(join(dataDir, file)).catch(() => Buffer.alloc(0)),
        ),
      ),
    );
    expect(bytes.includes(machine.clientId)).toBe(true);
    for (const secret of [machine.clientSecret, demo.actor.password]) expect(bytes.includes(secret)).toBe(false);
  });

  it('prints the credentials file and the command instead of secrets if the output is not a terminal', async () => {
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const service = start({ PORT: String(await freePort()), DATA_DIR: other });
    await service.until('understudy is ready');
    const file = join(other, 'credentials.json');
    const { machine, operator, demo } = JSON.parse(await readFile(file, 'utf8'));
    for (const secret of [machine.clientSecret, operator.clientSecret, demo.actor.password, '/console/-/join'])
      expect(service.output()).not.toContain(secret);
    expect(service.output()).toContain(file);
    expect(service.output()).toContain('npm run cli -- create-administrator');
    expect(await service.stop()).toBe(0);
    await rm(other, { recursive: true, force: true });
  });

  it('prints the credentials and the link on a terminal', async () => {
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const service = start({ PORT: String(await freePort()), DATA_DIR: other }, 'terminal');
    await service.until('understudy is ready');
    const { machine, operator, demo } = JSON.parse(await readFile(join(other, 'credentials.json'), 'utf8'));
    for (const secret of [machine.clientSecret, operator.clientSecret, demo.actor.password, '/console/-/join'])
      expect(service.output()).toContain(secret);
    await service.stop();
    await rm(other, { recursive: true, force: true });
  });

  it('refuses a secret key that does not match the database', async () => {
    await using database = await createDatabase('postgres');
    const env = { DATABASE_URL: database.url as string, DATA_DIR: database.dataDir };
    const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
    const first = start({ ...env, PORT: String(await freePort()), SECRET_KEY: key(1) });
    await first.until('understudy is ready');
    const second = start({ ...env, PORT: String(await freePort()), SECRET_KEY: key(2) });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('SECRET_KEY is not the key of this database');
    expect(await first.stop()).toBe(0);
  });
});
