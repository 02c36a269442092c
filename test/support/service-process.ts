import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { KillPoint } from '../webhooks/kill-points.ts';
import { getJson, ManagementClient } from './call.ts';
import { childEnvironment } from './compile-cache.ts';
import type { Database } from './databases.ts';
import { freePort } from './free-port.ts';
import { hasEnded } from './has-ended.ts';
import type { TestService } from './start-service.ts';

const root = join(import.meta.dirname, '../..');
const READY_MS = 60_000;

export interface ServiceProcessOptions {
  env?: Record<string, string>;
  /** Test modules (paths in the repository) that the process loads before the service. */
  preload?: string[];
}

/** The service in a process of its own, which can be killed and restarted on the same database. */
export class ServiceProcess implements AsyncDisposable {
  readonly #env: Record<string, string>;
  readonly #database: Database;
  readonly #preload: string[];
  #child: ChildProcess | undefined;
  #api: ManagementClient | undefined;

  private constructor(database: Database, port: number, { env = {}, preload = [] }: ServiceProcessOptions) {
    this.#database = database;
    this.#preload = preload.flatMap((path) => ['--import', join(root, path)]);
    this.#env = {
      ...childEnvironment,
      PORT: String(port),
      DATA_DIR: database.dataDir,
      ...(database.url && { DATABASE_URL: database.url }),
      DEMO: 'false',
      LOG_LEVEL: 'error',
      SANDBOX_RUNNERS: '1',
      WEBHOOK_TIMEOUT_MS: '1000',
      WEBHOOK_LEASE_MS: '2000',
      WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1,1,1,1,1,1,1',
      ...env,
    };
  }

  static async on(database: Database, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    return new ServiceProcess(database, await freePort(), options);
  }

  get url(): string {
    return `http://localhost:${this.#env.PORT}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** @param killAt where the process kills itself, such as `before-commit:17` */
  async start(killAt?: `${KillPoint}:${number}`): Promise<void> {
    const watch = killAt ? ['--import', join(root, 'test/webhooks/kill-points.ts')] : [];
    const env = { ...this.#env, ...(killAt && { KILL_AT: killAt }) };
    const stdio = ['ignore', 'ignore', 'inherit'] as const; // Discards stdout: the first start prints credentials.
    this.#child = spawn(process.execPath, [...watch, ...this.#preload, join(root, 'src/main.ts')], {
      cwd: root,
      env,
      stdio: [...stdio],
    });
    const readyBy = Date.now() + READY_MS;
    while (!(await this.#isReady())) {
      if (this.wasKilled) return; // Killed during the start.
      if (this.isDead) throw new Error('The service exited by itself.');
      if (Date.now() > readyBy) throw new Error('The service did not become ready.');
      await pause(30);
    }
  }

  get isDead(): boolean {
    return !this.#child || hasEnded(this.#child);
  }

  get wasKilled(): boolean {
    return this.#child?.signalCode === 'SIGKILL';
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.dead();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  async dead(): Promise<void> {
    if (this.#child && !this.isDead) await once(this.#child, 'exit');
  }

  /**
   * Client of the Management API as the application that the first start created. Its token remains valid after a kill.
   */
  async api(): Promise<ManagementClient> {
    if (!this.#api) {
      const { managementApiIndicator, machine } = await this.credentials();
      this.#api = new ManagementClient(this.url, managementApiIndicator, machine);
    }
    return this.#api;
  }

  /** The credentials that the first start wrote, including those of the demo if `DEMO` is set. */
  async credentials(): Promise<TestService['credentials']> {
    return JSON.parse(await readFile(join(this.#database.dataDir, 'credentials.json'), 'utf8'));
  }

  /** True if this process runs the scheduled jobs. */
  async isLeading(): Promise<boolean> {
    return (await getJson(`${this.url}/readyz?verbose`)).isLeading;
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
    return answer?.ok ?? false;
  }
}
