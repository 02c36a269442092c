import { join } from 'node:path';
import type { RunnerSettings } from '../../../sandbox/protocol.ts';
import { SANDBOX_LAYERS } from '../../config/index.ts';
import { LIMITS } from '../limits.ts';
import type { SandboxOptions } from '../types.ts';
import { findProgram, isRoot, NOBODY, NODE_LAYERS, SANDBOX, WRAPPERS, type Wrapper } from './layers.ts';
import { type RunnerCommand, RunnerProcess } from './runner-process.ts';

/** What every runner is started with, whatever layers there are. */
const RUNNER_FLAGS = [
  '--no-node-snapshot', // isolated-vm shares V8's process-wide tables with Node and must not meet those of a snapshot.
  '--no-harmony-temporal', // A clock of nanoseconds, made anew for every context; sandbox/prelude.js removes it where it is.
  // MB of each isolate, while it is in use. A context is 0.1 MB that soon dies: the smaller young space V8 would choose has it
  // copied, and then collected as old, which is dearer.
  '--max-semi-space-size=2',
];

/** Every layer there is: options of Node, what the runner does itself, and programs around it. */
export const LAYERS: string[] = [...SANDBOX_LAYERS];

/** A layer that the operator requires does not hold on this machine. */
export class MissingLayerError extends Error {
  override readonly name = 'MissingLayerError';
}

export interface Hardening {
  command: RunnerCommand;
  /** Layers that hold, seen on a runner that started with them. */
  layers: string[];
  /** Layers that were to hold and do not, each with the reason. */
  missing: Record<string, string>;
  /** The runner that was started to see it: the first of the pool. */
  first: RunnerProcess;
}

/**
 * Finds the strongest command that starts a runner here. A layer that this machine does not offer is left out.
 *
 * @throws {MissingLayerError} when a required layer is among them; any other error when no runner starts at all
 */
export async function harden(options: SandboxOptions): Promise<Hardening> {
  const { require = [] } = options;
  const unknown = require.filter((name) => !LAYERS.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no sandbox layer ${unknown.join(', ')}; there are ${LAYERS.join(', ')}.`);

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
    // Nothing starts with Node's permission model: an installation whose files are not where it looks for them.
    missing.permission = error.message;
    return within([...off, 'permission']);
  });

  const layers = LAYERS.filter(
    (name) => first.ready.layers.includes(name) || wrappers.some((wrapper) => provides(wrapper, name)),
  );
  for (const name of LAYERS) {
    if (layers.includes(name)) delete missing[name];
    else if (!off.includes(name)) missing[name] ??= 'it does not hold on this system';
  }
  const lacking = require.filter((name) => !layers.includes(name));
  if (lacking.length > 0) {
    await first.kill();
    throw new MissingLayerError(
      `The sandbox must have ${lacking.map((name) => `${name} (${missing[name] ?? 'switched off'})`).join(', ')}.`,
    );
  }
  return { command, layers, missing, first };
}

interface Attempt {
  command: RunnerCommand;
  first: RunnerProcess;
  wrappers: Wrapper[];
}

/** All wrappers; else all but the one that contains others; else those that work by themselves. */
async function strongest(
  installed: Wrapper[],
  commandWith: (wrappers: Wrapper[]) => RunnerCommand,
  missing: Record<string, string>,
): Promise<Attempt> {
  const attempt = async (wrappers: Wrapper[]): Promise<Attempt> => {
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
      return await attempt(plan);
    } catch (error) {
      if (plan === plans[0] && container) missing[container.name] = (error as Error).message;
    }
  }
  const working: Wrapper[] = [];
  for (const wrapper of plans[1] ?? []) {
    try {
      await (await attempt([wrapper])).first.kill();
      working.push(wrapper);
    } catch (error) {
      missing[wrapper.name] = (error as Error).message;
    }
  }
  return attempt(working);
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
