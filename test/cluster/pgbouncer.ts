import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';

const binary = process.env.PGBOUNCER || 'pgbouncer';

export const hasPgBouncer = spawnSync(binary, ['--version']).status === 0;

/** Starts a real PgBouncer in transaction mode. It must be on the path, or at `PGBOUNCER`. */
export async function startPgBouncer(databaseUrl: string): Promise<AsyncDisposable & { url: string }> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const folder = await mkdtemp(join(tmpdir(), 'understudy-pgbouncer-'));
  await chmod(folder, 0o755);
  const listenPort = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
  );
  const isRoot = process.getuid?.() === 0;
  const child = spawn(binary, [file], {
    ...(isRoot && { uid: 65534, gid: 65534 }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
    if (log.includes('process up')) resolve();
  });
  child.once('exit', () => reject(new Error(log)));
  await promise;
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(listenPort) }).href,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true });
    },
  };
}
