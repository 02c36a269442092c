import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Credentials } from '../../src/setup/first-start.ts';
import { readCredentials } from '../support/running-service.ts';

const ROOT = join(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 60_000;

/** A service with the demonstration data, in a temporary folder that is removed with it. */
export interface ShowcaseService extends AsyncDisposable {
  endpoint: string;
  credentials: Credentials;
  /** The environment in which commands find this service. */
  env: Record<string, string>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

const isReady = async (endpoint: string): Promise<boolean> => {
  const response = await fetch(`${endpoint}/readyz`).catch(() => undefined);
  return response?.ok ?? false;
};

export async function startShowcaseService(): Promise<ShowcaseService> {
  const [port, dataDir] = [await freePort(), await mkdtemp(join(tmpdir(), 'understudy-showcase-'))];
  const endpoint = `http://localhost:${port}`;
  const env = { DATA_DIR: dataDir, ENDPOINT: endpoint, PORT: String(port), SANDBOX_RUNNERS: '1', LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
    await rm(dataDir, { recursive: true });
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(endpoint))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error('The service did not start.');
    }
    await pause(100);
  }
  return { endpoint, env, credentials: await readCredentials(dataDir), [Symbol.asyncDispose]: stop };
}
