import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { hasEnded } from '../../support/has-ended.ts';

const root = join(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 60_000;

export type Server = AsyncDisposable & { origin: string; pid: number };

/**
 * Starts a server in a process of its own without this process's environment. It gets `PORT` and must serve `/readyz`.
 *
 * @param file relative to the root of the project
 */
export async function spawnServer(file: string, env: Record<string, string | undefined> = {}): Promise<Server> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, file)], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const origin = `http://localhost:${port}`;
  for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await pause(50)) {
    if (hasEnded(child)) throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode}`);
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    if (answer?.ok) break;
    if (Date.now() > deadline) throw new Error(`${file} did not become ready`);
  }
  return {
    origin,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      if (hasEnded(child)) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
