import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Credentials } from '../../../src/setup/first-start.ts';
import { childEnvironment } from '../../support/compile-cache.ts';
import { freePort } from '../../support/free-port.ts';
import { hasEnded } from '../../support/has-ended.ts';
import type { Heap } from './heap.ts';

const root = join(import.meta.dirname, '../../..');
const READY_MS = 60_000;

/** The service in a process of its own that reports its heap on request. */
export class WatchedService implements AsyncDisposable {
  readonly origin: string;
  readonly credentials: Credentials & { demo: NonNullable<Credentials['demo']> };
  readonly #child: ChildProcess;
  readonly #dataDir: string;

  private constructor(
    child: ChildProcess,
    origin: string,
    dataDir: string,
    credentials: WatchedService['credentials'],
  ) {
    this.#child = child;
    this.origin = origin;
    this.#dataDir = dataDir;
    this.credentials = credentials;
  }

  /** @param databaseUrl of an empty PostgreSQL database; SQLite if absent */
  static async start(databaseUrl?: string): Promise<WatchedService> {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-soak-'));
    const port = await freePort();
    const arguments_ = ['--expose-gc', '--import', join(import.meta.dirname, 'heap.ts'), join(root, 'src/main.ts')];
    const env = {
      ...childEnvironment,
      PORT: String(port),
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      LOG_LEVEL: 'error',
      METRICS_PORT: String(await freePort()), // The load generator may leak too, so it runs in another process.
      RATE_LIMIT_TOKEN: '100000000',
      RATE_LIMIT_AUTHORIZATION: '100000000',
      RATE_LIMIT_SUBJECT_TOKENS: '100000000',
    };
    const child = spawn(process.execPath, arguments_, {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const origin = `http://localhost:${port}`;
    for (const deadline = Date.now() + READY_MS; ; await pause(50)) {
      if ((await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) break;
      if (hasEnded(child) || Date.now() > deadline) throw new Error('the service did not become ready');
    }
    const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    return new WatchedService(child, origin, dataDir, credentials);
  }

  /** Returns the heap after a full garbage collection. */
  async heap(): Promise<Heap> {
    this.#child.send('heap');
    const [heap] = await once(this.#child, 'message');
    return heap;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    if (!hasEnded(this.#child)) await once(this.#child, 'exit');
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
