import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { Sandbox, type SandboxOptions } from '../../src/script-runners/sandbox.ts';
import type { SandboxLogger } from '../../src/script-runners/types.ts';

/** Ignores everything except errors, which fail the test run: no script can make a correct sandbox log an error. */
export const logger: SandboxLogger = {
  info: () => {},
  warn: () => {},
  error: (facts, message) => void setImmediate(() => expect.fail(`${message}: ${inspect(facts)}`)),
};

/** Starts a sandbox with low limits, so that hostile scripts end soon. Use with `await using`, which closes it. */
export const startSandbox = (options: Partial<SandboxOptions> = {}) =>
  Sandbox.start({ runners: 2, timeoutMs: 150, memoryMb: 16, logger, ...options });

export const INPUT = JSON.stringify({
  token: { jti: 'jti', kind: 'AccessToken', clientId: 'client', scope: 'read' },
  context: { user: { id: 'user', primaryEmail: 'user@example.com' } },
  environmentVariables: { SALT: 'salt' },
});

export const BENIGN = 'const getCustomJwtClaims = async ({ token }) => ({ benign: token.jti });';

/** Returns the ids of runners that this process started and that still exist. */
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
      return false; // The process ended in the meantime.
    }
  });
}
