import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnvironment } from '../support/compile-cache.ts';
import { createDatabase, type Database, databases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { startService, type TestService } from '../support/start-service.ts';

const root = join(import.meta.dirname, '../..');
const commands = readdirSync(join(root, 'scripts'))
  .filter((file) => file.endsWith('.ts') && file !== 'cli.ts')
  .map((file) => file.slice(0, -3));

/** Runs a command as a user would, with a umask that lets others read new files. */
async function cli(args: string[], env: Record<string, string> = {}) {
  const child = spawn('sh', ['-c', 'umask 022; exec "$0" scripts/cli.ts "$@"', process.execPath, ...args], {
    cwd: root,
    env: { ...childEnvironment, ...env },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

describe('the command line', () => {
  it('reports an unknown command and suggests the nearest one', async () => {
    const { code, stderr } = await cli(['doctr']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Unknown command: doctr\. Did you mean doctor\?\n/);
    expect((await cli(['frobnicate'])).stderr).toMatch(/^Unknown command: frobnicate\.\n\nUsage: /);
  });

  it.each(commands)('%s --help prints its usage and does nothing else', async (command) => {
    const { code, stdout, stderr } = await cli([command, '--help'], { PORT: 'x' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^npm run cli -- ${command}`));
  });

  it('refuses an unknown option with one line and the usage', async () => {
    for (const args of [
      ['backup', '--fiel', 'x'],
      ['migrate', '--now'],
    ]) {
      const { code, stderr } = await cli(args);
      expect(code).toBe(2);
      expect(stderr).toContain(args[1]);
      expect(stderr).toContain(`npm run cli -- ${args[0]}`);
      expect(stderr).not.toContain('    at ');
    }
  });

  it('prints no false warning', async () => {
    await using place = await createDatabase('sqlite');
    const { stderr } = await cli(['migrate'], { DATA_DIR: place.dataDir });
    expect(stderr).toBe('');
  });

  it('creates no files that other users can read', async () => {
    await using place = await createDatabase('sqlite');
    expect((await cli(['migrate'], { DATA_DIR: place.dataDir })).code).toBe(0);
    const files = await readdir(place.dataDir);
    expect(files).toContain('understudy.db');
    for (const file of files) expect([file, (await stat(join(place.dataDir, file))).mode & 0o077]).toEqual([file, 0]);
  });

  it('reports in one line that PostgreSQL does not respond', async () => {
    const { code, stderr } = await cli(['create-administrator'], {
      DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x`,
      SECRET_KEY: Buffer.alloc(32).toString('base64'),
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('DATABASE_URL')]);
  });
});

describe.each(databases)('commands on %s', (kind) => {
  let service: TestService;
  let place: Database;
  beforeAll(async () => {
    service = await startService(kind, { DEMO: 'false' });
    place = await createDatabase('sqlite');
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  const run = (...args: string[]) =>
    cli(args, {
      PORT: new URL(service.url).port,
      DATA_DIR: service.dataDir,
      ...(service.databaseUrl && { DATABASE_URL: service.databaseUrl }),
    });

  it('create-tenant refuses an id that the API refuses, and an id or endpoint that is in use', async () => {
    const make = (...args: string[]) => run('create-tenant', '--name', 'x', ...args);
    const refusals = [
      [['--id', 'A b', '--endpoint', 'https://a.example'], 'A b'],
      [['--id', 'a', '--endpoint', 'https://a.example/api'], 'path'],
      [['--id', 'a', '--endpoint', service.url], `Another tenant is served at ${service.url}.`],
      [['--id', 'default', '--endpoint', 'https://a.example'], 'Tenant default already exists.'],
    ] as const;
    for (const [args, message] of refusals) {
      const { code, stderr } = await make(...args);
      expect({ args, code, lines: stderr.trim().split('\n') }).toEqual({
        args,
        code: 1,
        lines: [expect.stringContaining(message)],
      });
    }
    const made = await make('--id', 'acme', '--endpoint', 'https://acme.example/');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({ tenantId: 'acme', endpoint: 'https://acme.example' });
  });

  it('export-tenant does not overwrite an existing file', async () => {
    const [file, passphrase] = [join(place.dataDir, `${kind}.age`), join(place.dataDir, 'passphrase')];
    await writeFile(passphrase, 'correct horse battery staple');
    await writeFile(file, 'kept');
    await chmod(file, 0o600);
    const args = ['export-tenant', '--tenant', 'default', '--passphrase-file', passphrase, '--file'];
    const { code, stderr } = await run(...args, file);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${file} already exists.\n` });
    expect((await stat(file)).size).toBe(4);
    expect(await run(...args, `${file}.2`)).toMatchObject({ code: 0 });
  });
});
