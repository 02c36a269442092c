import { join } from 'node:path';
import type { RunnerSettings } from '../../../sandbox/protocol.ts';
import { SANDBOX_LAYERS } from '../../config/index.ts';
import { LIMITS } from '../limits.ts';
import type { SandboxOptions } from '../types.ts';
import { findProgram, isRoot, NOBODY, NODE_LAYERS, SANDBOX, WRAPPERS, type Wrapper } from './layers.ts';
import { type RunnerCommand, RunnerProcess } from './runner-process.ts';

/** Node flags of every runner, with and without hardening layers. */
const RUNNER_FLAGS = [
  '--no-node-snapshot', // isolated-vm shares V8's process-wide tables with Node and does not work with those of a snapshot.
  '--no-harmony-temporal', // A nanosecond clock, which V8 also creates for every context. sandbox/prelude.js deletes it where it exists.
  // MB of young generation per isolate. A context is 0.1 MB of short-lived objects. In the smaller space that V8 chooses by default
  // they are copied and promoted, and collecting them as old objects costs more.
  '--max-semi-space-size=2',
];

/** All hardening layers: options of Node, what the runner does itself, and wrapper programs. */
export const LAYERS: string[] = [...SANDBOX_LAYERS];

/** A layer that the operator requires is not active on this host. */
export class MissingLayerError extends Error {
  override readonly name = 'MissingLayerError';
}

/**
 * Finds the strongest command that starts a runner on this host. Layers that the host does not support are left out.
 *
 * @throws {MissingLayerError} if a required layer is left out. Any other error means that no runner starts at all.
 */
export async function harden(options: SandboxOptions) {
  const { require = [] } = options;
  const unknown = require.filter((name) => !LAYERS.includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown sandbox layer: ${unknown.join(', ')}. Available layers: ${LAYERS.join(', ')}.`);

  const off = options.harden === false ? LAYERS : (options.withoutLayers ?? []);
  const missing: Record<string, string> = {};
  const installed = WRAPPERS.filter(({ name, program }) => {
    if (off.includes(name)) return false;
    const isInstalled = findProgram(program) !== undefined;
    if (!isInstalled) missing[name] = `${program} is not installed`;
    return isInstalled;
  });
  const within = (off: string[]) => strongest(installed, (chosen) => commandOf(options, off, chosen), missing);
  const { command, first, wrappers } = await within(off).catch((error: Error) => {
    // No runner starts with Node's permission model: the installation keeps files outside the folders allowed to the runner.
    missing.permission = error.message;
    return within([...off, 'permission']);
  });

  const layers = LAYERS.filter(
    (name) => first.ready.layers.includes(name) || wrappers.some((wrapper) => provides(wrapper, name)),
  );
  for (const name of LAYERS) {
    if (layers.includes(name)) delete missing[name];
    else if (!off.includes(name)) missing[name] ??= 'not supported on this system';
  }
  const lacking = require.filter((name) => !layers.includes(name));
  if (lacking.length > 0) {
    await first.kill();
    throw new MissingLayerError(
      `Required sandbox layers are missing: ${lacking.map((name) => `${name} (${missing[name] ?? 'switched off'})`).join(', ')}.`,
    );
  }
  return {
    command,
    /** Active layers, verified on a runner that started with them. */
    layers,
    /** Wanted layers that are not active, each with the reason. */
    missing,
    /** The runner that was started for the verification. It becomes the first of the pool. */
    first,
  };
}

/** Tries the container with what it does not include, then all wrappers but the container, then only those that work on their own. */
async function strongest(
  installed: Wrapper[],
  commandWith: (wrappers: Wrapper[]) => RunnerCommand,
  missing: Record<string, string>,
) {
  const start = async (wrappers: Wrapper[]) => {
    const command = commandWith(wrappers);
    return { command, wrappers, first: await RunnerProcess.start(command) };
  };
  const container = installed.find(({ includes }) => includes);
  const plans = [
    installed.filter(({ name }) => !container?.includes?.includes(name)),
    installed.filter((wrapper) => wrapper !== container),
  ];
  for (const plan of plans) {
    try {
      return await start(plan);
    } catch (error) {
      if (plan === plans[0] && container) missing[container.name] = (error as Error).message;
    }
  }
  const working: Wrapper[] = [];
  for (const wrapper of plans[1] ?? []) {
    try {
      await (await start([wrapper])).first.kill();
      working.push(wrapper);
    } catch (error) {
      missing[wrapper.name] = (error as Error).message;
    }
  }
  return start(working);
}

function commandOf(options: SandboxOptions, off: string[], wrappers: Wrapper[]): RunnerCommand {
  const settings: RunnerSettings = {
    limits: { ...LIMITS, ...options.limits },
    fetch: options.fetch !== undefined,
    ...(isRoot() &&
      !off.includes('unprivileged-user') &&
      !wrappers.some(({ name }) => name === 'bwrap') && { identity: NOBODY }),
  };
  const flags = Object.entries(NODE_LAYERS).flatMap(([name, flags]) => (off.includes(name) ? [] : flags));
  const node = [process.execPath, ...RUNNER_FLAGS, ...flags, join(SANDBOX, 'runner.mjs'), JSON.stringify(settings)];
  const outermostFirst = wrappers
    .toReversed()
    .flatMap(({ program, args }) => [findProgram(program) as string, ...args(), '--']);
  const [file, ...args] = [...outermostFirst, ...node] as [string, ...string[]];
  return { file, args, inheritsEnvironment: off.includes('empty-environment') };
}

const provides = (wrapper: Wrapper, layer: string): boolean =>
  wrapper.name === layer || wrapper.includes?.includes(layer) === true;
