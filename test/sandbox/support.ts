import { readdirSync, readFileSync } from 'node:fs';
import { Sandbox, type SandboxOptions } from '../../src/script-runners/sandbox.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Small limits, so that hostile scripts end soon. Closes itself: `await using sandbox = await startSandbox()`. */
export const startSandbox = (options: Partial<SandboxOptions> = {}) =>
  Sandbox.start({ runners: 2, timeoutMs: 150, memoryMb: 16, logger: silent, ...options });

export const INPUT = JSON.stringify({
  token: { jti: 'jti', kind: 'AccessToken', clientId: 'client', scope: 'read' },
  context: { user: { id: 'user', primaryEmail: 'user@example.com' } },
  environmentVariables: { SALT: 'salt' },
});

export const BENIGN = 'const getCustomJwtClaims = async ({ token }) => ({ benign: token.jti });';

/** Ids of runner processes that this process started and that are still there. */
export function runnersAlive(): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return children.map(Number).filter((pid) => {
    try {
      const [, , , parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/\(.*\)/, 'x')
        .split(' ');
      return (
        Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox/runner.mjs')
      );
    } catch {
      return false; // It ended while we looked.
    }
  });
}
