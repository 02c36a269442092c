import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';
import { LAYERS } from '../src/custom-claims/runner-hardening.ts';
import { getJson, ManagementClient } from './support/call.ts';
import { createDatabase } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { hasEnded } from './support/has-ended.ts';

interface Process {
  /** What it wrote so far. */
  output(): string;
  until(text: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  exited: Promise<number | null>;
}

const CLIENT = {
  clientId: expect.stringMatching(/^[0-9a-z]{21}$/),
  clientSecret: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
};

/** The service as `npm start` runs it. util-linux's `script` gives it a terminal. */
function start(env: Record<string, string>, output: 'pipe' | 'terminal' = 'pipe'): Process {
  const command = [process.execPath, join(import.meta.dirname, '../src/main.ts')];
  const [file = '', ...args] =
    output === 'pipe'
      ? command
      : ['script', '--quiet', '--return', '--command', `exec ${command.join(' ')}`, '/dev/null'];
  const child = spawn(file, args, { env: { PATH: process.env.PATH, SANDBOX_RUNNERS: '1', ...env } });
  let text = '';
  const { promise: exited, resolve } = Promise.withResolvers<number | null>();
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  child.on('close', (code) => {
    resolve(code);
    for (const look of waiting) look();
  });
  return {
    output: () => text,
    exited,
    until: (wanted) =>
      new Promise((found, missed) => {
        const look = () => {
          if (text.includes(wanted)) found();
          else if (hasEnded(child)) missed(new Error(`it ended without "${wanted}":\n${text}`));
        };
        waiting.add(look);
        look();
      }),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

describe('the process', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'understudy-start-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('makes a tenant at its first start only, drains and exits 0', async () => {
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

  it('keeps secrets out of the database file and out of its log', async () => {
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

  it('does not print secrets where its output is no terminal: it names the file and the command', async () => {
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

  it('shows a person at a terminal the credentials and the link', async () => {
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const service = start({ PORT: String(await freePort()), DATA_DIR: other }, 'terminal');
    await service.until('understudy is ready');
    const { machine, operator, demo } = JSON.parse(await readFile(join(other, 'credentials.json'), 'utf8'));
    for (const secret of [machine.clientSecret, operator.clientSecret, demo.actor.password, '/console/-/join'])
      expect(service.output()).toContain(secret);
    await service.stop();
    await rm(other, { recursive: true, force: true });
  });

  it('says which address holds when ENDPOINT is another than the one of the database', async () => {
    const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
    const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    const moved = start({ ...env, ENDPOINT: 'https://id.example.com' });
    await moved.until('understudy is ready');
    const lines = moved
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const warnings = lines.filter(({ level }) => level >= 40);
    expect(warnings.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/ENDPOINT is https:\/\/id\.example\.com.*change-address --to https:\/\/id\.example\.com/),
    ]);
    expect(warnings[0].msg).toContain(credentials.endpoint);
    expect(lines.at(-1)).toMatchObject({ endpoint: credentials.endpoint, msg: 'understudy is ready' });
    await moved.stop();

    const same = start({ ...env, ENDPOINT: credentials.endpoint, MANAGEMENT_API_INDICATOR: 'https://x.example/api' });
    await same.until('understudy is ready');
    expect(same.output()).toContain('MANAGEMENT_API_INDICATOR is https://x.example/api');
    await same.stop();
  });

  it('warns of an endpoint that is http and not of this machine', async () => {
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const service = start({ DATA_DIR: other, PORT: String(await freePort()), ENDPOINT: 'http://id.example.com' });
    await service.until('understudy is ready');
    expect(service.output()).toMatch(/"level":40[^\n]*ENDPOINT is http/);
    await service.stop();
    await rm(other, { recursive: true, force: true });
  });

  it('listens at HOST alone, with METRICS_PORT too, and says when that is not an address of this machine', async () => {
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const [port, metricsPort] = [await freePort(), await freePort()];
    const env = { DATA_DIR: other, PORT: String(port), METRICS_PORT: String(metricsPort) };
    const service = start({ ...env, HOST: '127.0.0.1' });
    await service.until('understudy is ready');
    const elsewhere = Object.values(networkInterfaces())
      .flat()
      .find((found) => found?.family === 'IPv4' && !found.internal)?.address;
    for (const [at, path] of [
      [port, 'readyz'],
      [metricsPort, 'metrics'],
    ]) {
      expect((await fetch(`http://127.0.0.1:${at}/${path}`)).status).toBe(200);
      if (elsewhere) await expect(fetch(`http://${elsewhere}:${at}/${path}`)).rejects.toThrow('fetch failed');
    }
    await service.stop();
    const { exited, output } = start({ ...env, HOST: '192.0.2.1' });
    expect(await exited).toBe(1);
    expect(output().trim().split('\n').at(-1)).toBe('HOST 192.0.2.1 is not an address of this machine.');
    await rm(other, { recursive: true, force: true });
  });

  it('says in one line which sandbox layers must be there and are not', async () => {
    const port = await freePort();
    const service = start({ DATA_DIR: dataDir, PORT: String(port) });
    await service.until('understudy is ready');
    const { layers } = (await getJson(`http://localhost:${port}/readyz?verbose`)).sandbox;
    await service.stop();
    for (const missing of LAYERS.filter((layer) => !layers.includes(layer))) {
      const { exited, output } = start({ DATA_DIR: dataDir, PORT: String(port), SANDBOX_REQUIRE: missing });
      expect(await exited).toBe(1);
      const told = output()
        .split('\n')
        .filter((line) => line && !line.startsWith('{'));
      expect(told).toEqual([expect.stringContaining(`The sandbox must have ${missing}`)]);
    }
  });

  it('says in one line that PostgreSQL does not answer, without a stack', async () => {
    const env = { DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x`, DATA_DIR: dataDir };
    const service = start({ ...env, PORT: String(await freePort()) });
    await service.until('database does not answer yet');
    await service.stop('SIGKILL');
    for (const line of service.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  });

  it('says that the port is taken', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, resolve));
    const { port } = holder.address() as { port: number };
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const { exited, output } = start({ PORT: String(port), DATA_DIR: other });
    expect(await exited).toBe(1);
    expect(output()).toContain(`PORT ${port} is taken`);
    holder.close();
    await rm(other, { recursive: true, force: true });
  });

  it('names every wrong variable, a line each', async () => {
    const { exited, output } = start({
      ...{ PORT: 'x', SECRET_KEY: 'short', LOG_LEVEL: 'loud', DATA_DIR: dataDir, HOST: 'my machine' },
      ...{ SANDBOX_REQUIRE: 'jitless,magic', SCRIPT_FETCH_ALLOWED_HOSTS: 'https://api.example.com/' },
    });
    expect(await exited).toBe(1);
    expect(
      output()
        .match(/^[A-Z_]+: expected .*$/gm)
        ?.map((line) => line.split(':')[0]),
    ).toEqual(['PORT', 'SECRET_KEY', 'HOST', 'LOG_LEVEL', 'SANDBOX_REQUIRE', 'SCRIPT_FETCH_ALLOWED_HOSTS']);
    expect(output()).not.toContain('    at ');
  });

  it('refuses another secret key than the one the database was made with', async () => {
    await using database = await createDatabase('postgres');
    const env = { DATABASE_URL: database.url as string, DATA_DIR: database.dataDir };
    const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
    const first = start({ ...env, PORT: String(await freePort()), SECRET_KEY: key(1) });
    await first.until('understudy is ready');
    const second = start({ ...env, PORT: String(await freePort()), SECRET_KEY: key(2) });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('SECRET_KEY is not the one this database was made with');
    expect(await first.stop()).toBe(0);
  });
});

describe('configuration', () => {
  const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };

  it('refuses as hosts of scripts whatever a request could never be compared with', () => {
    const hosts = [
      'https://api.example.com',
      'api.example.com/',
      'api.example.com:443',
      'a b',
      '*',
      '*.',
      'münchen.de',
    ];
    for (const host of hosts) expect([host, faultsOf({ SCRIPT_FETCH_ALLOWED_HOSTS: host }).length]).toEqual([host, 1]);
    const allowed = 'api.example.com,*.example.com,API.Example.com,10.0.0.1,[::1],localhost,my_service';
    expect(faultsOf({ SCRIPT_FETCH_ALLOWED_HOSTS: allowed })).toEqual([]);
  });

  it('refuses one port for the service and its metrics', () => {
    expect(faultsOf({ PORT: '4811', METRICS_PORT: '4811' })).toEqual(['METRICS_PORT: expected another port than PORT']);
    expect(faultsOf({ METRICS_PORT: '3000' })).toHaveLength(1);
    expect(faultsOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
  });

  it('refuses a sandbox layer that there is not, and takes every one that there is', () => {
    expect(faultsOf({ SANDBOX_REQUIRE: 'magic' })).toEqual([expect.stringContaining('jitless')]);
    expect(faultsOf({ SANDBOX_REQUIRE: LAYERS.join(',') })).toEqual([]);
  });

  it('wants a secret key for PostgreSQL behind a public endpoint', () => {
    const env = { DATABASE_URL: 'postgres://localhost/x', ENDPOINT: 'https://id.example.com' };
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(readConfig({ ...env, SECRET_KEY: Buffer.alloc(32).toString('base64') })).toMatchObject({
      isLoopback: false,
      demo: false,
    });
  });

  it('opens webhooks to loopback only while the endpoint is, and nothing else was said', () => {
    expect(readConfig({}).webhooks).toMatchObject({
      loopbackByDefault: true,
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
    });
    expect(readConfig({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' }).webhooks.allowedNetworks).toEqual(['10.0.0.0/8']);
    expect(readConfig({ ENDPOINT: 'https://id.example.com' }).webhooks.allowedNetworks).toEqual([]);
  });
});
