import { fileURLToPath } from 'node:url';
import type { RunnerSettings } from '../../sandbox/protocol.ts';
import { LIMITS } from './sandbox-limits.ts';
import type { SandboxOptions } from './sandbox-types.ts';

const RUNNER = fileURLToPath(new URL('../../sandbox/runner.mjs', import.meta.url));

export interface RunnerCommand {
  file: string;
  args: string[];
}

export interface Hardening {
  command: RunnerCommand;
  layers: string[];
  missing: string[];
}

export async function harden(options: SandboxOptions): Promise<Hardening> {
  const settings: RunnerSettings = { limits: LIMITS, fetch: options.fetch !== undefined };
  const command = {
    file: process.execPath,
    args: ['--jitless', '--no-node-snapshot', RUNNER, JSON.stringify(settings)],
  };
  return { command, layers: ['jitless'], missing: [] };
}
