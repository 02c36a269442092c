import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../../../scripts/install.cjs';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'test/bench/peers');

/**
 * Loads other programs to compare with. They are a package of their own, so that only these benchmarks install them.
 * Its types are checked here, because `npm run check` leaves it out.
 */
export async function loadPeers<Peers>(bench: 'sandbox' | 'webhooks'): Promise<Peers> {
  installPeers(folder);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The types of test/bench/peers are wrong');
  return importPeers(bench);
}

/** Imports the other programs in a process that `loadPeers` ran before. */
export async function importPeers<Peers>(bench: 'sandbox' | 'webhooks'): Promise<Peers> {
  const { peers } = await import(`../peers/${bench}.ts`);
  return peers;
}
