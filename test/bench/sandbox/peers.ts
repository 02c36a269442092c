import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createContext, Script } from 'node:vm';
import { INPUT, SCRIPT } from './sample.ts';

/** Another way to run the sample. `close` releases everything. */
export interface Peer {
  call: () => unknown;
  close: () => void | Promise<void>;
}

/** The peers in `../peers/sandbox.ts`. */
export interface PackagedPeers {
  quickjs(): Promise<Peer>;
  workerd(): Promise<Peer>;
}

/**
 * node:vm: a new context for each run in this process, without limits. It separates globals but is no security
 * boundary.
 */
export function nodeVm(): Peer {
  const script = new Script(SCRIPT);
  const caller = new Script('getCustomJwtClaims(JSON.parse(input)).then(JSON.stringify)');
  const call = async () => {
    const context = createContext({ input: INPUT });
    script.runInContext(context, { timeout: 1_000 });
    return JSON.parse(await caller.runInContext(context, { timeout: 1_000 }));
  };
  return { call, close: () => {} };
}

/** Raw isolated-vm: returns the calls per second during some milliseconds, measured in a process of its own. */
export async function rawIsolatedVm(): Promise<{
  rate: (ms: number) => Promise<{ rate: number; output: string }>;
  close: () => void;
}> {
  const child = fork(new URL('raw-isolated-vm.mjs', import.meta.url), [SCRIPT, INPUT], {
    execArgv: ['--no-node-snapshot'],
  });
  await once(child, 'message');
  const rate = async (ms: number) => {
    child.send(ms);
    const [answer] = await once(child, 'message');
    return answer as { rate: number; output: string };
  };
  return { rate, close: () => void child.kill() };
}
