import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/understudy-compiled');

/** Environment of every Node process that tests start. With compiled modules, the service starts in half the CPU time. */
export const childEnvironment = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: folder };

/** Fills the cache once per checkout, because Node writes it only when a process exits by itself, not when it is killed. */
export async function fillCompileCache(): Promise<void> {
  if (existsSync(folder)) return;
  const load = `import(${JSON.stringify(join(root, 'src/service/index.ts'))})`;
  await promisify(execFile)(process.execPath, ['-e', load], { env: childEnvironment });
}
