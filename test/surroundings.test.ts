import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAYERS } from '../src/script-runners/process/hardening.ts';
import { getJson } from './support/call.ts';
import { freePort } from './support/free-port.ts';
import { start } from './support/start-process.ts';

describe('a process with a wrong or incomplete environment', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const first = start({ DATA_DIR: dataDir, PORT: String(await freePort()) });
    await first.until('understudy is ready');
    await first.stop();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('warns when ENDPOINT differs from the stored one, and keeps using the stored one', async () => {
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

  it('warns of an http endpoint that is not loopback', async () => {
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const service = start({ DATA_DIR: other, PORT: String(await freePort()), ENDPOINT: 'http://id.example.com' });
    await service.until('understudy is ready');
    expect(service.output()).toMatch(/"level":40[^\n]*ENDPOINT is http/);
    await service.stop();
    await rm(other, { recursive: true, force: true });
  });

  it('listens only at HOST, also for METRICS_PORT, and reports a HOST that is not an address of this machine', async () => {
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

  it('reports in one line which required sandbox layers are missing', async () => {
    const port = await freePort();
    const service = start({ DATA_DIR: dataDir, PORT: String(port) });
    await service.until('understudy is ready');
    const { layers } = (await getJson(`http://localhost:${port}/readyz?verbose`)).sandbox;
    await service.stop();
    for (const missing of LAYERS.filter((layer) => !layers.includes(layer))) {
      const { exited, output } = start({ DATA_DIR: dataDir, PORT: String(port), SANDBOX_REQUIRE: missing });
      expect(await exited).toBe(1);
      const lines = output()
        .split('\n')
        .filter((line) => line && !line.startsWith('{'));
      expect(lines).toEqual([expect.stringContaining(`Required sandbox layers are missing: ${missing}`)]);
    }
  });

  it('reports without a stack that PostgreSQL does not respond', async () => {
    const env = { DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x`, DATA_DIR: dataDir };
    const service = start({ ...env, PORT: String(await freePort()) });
    await service.until('Database is not responding yet');
    await service.stop('SIGKILL');
    for (const line of service.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  });

  it('reports that the port is in use', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, resolve));
    const { port } = holder.address() as { port: number };
    const other = await mkdtemp(join(tmpdir(), 'understudy-start-'));
    const { exited, output } = start({ PORT: String(port), DATA_DIR: other });
    expect(await exited).toBe(1);
    expect(output()).toContain(`PORT ${port} is already in use`);
    holder.close();
    await rm(other, { recursive: true, force: true });
  });

  it('reports every invalid variable on a line of its own', async () => {
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
});
