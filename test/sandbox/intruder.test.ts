import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { harden, LAYERS } from '../../src/script-runners/process/hardening.ts';
import { findProgram } from '../../src/script-runners/process/layers.ts';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';

const INTRUDER = fileURLToPath(new URL('intruder.mjs', import.meta.url));
const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** What code that owns the runner manages to do when these layers are left out. */
async function intrude(withoutLayers: string[] = []): Promise<{ managed: string[]; active: string[] }> {
  const { command, first, layers } = await harden({ runners: 1, timeoutMs: 100, memoryMb: 16, logger, withoutLayers });
  await first.kill();
  // The intruder must be readable for a layer to be what stops it, not the lack of its own source.
  const args = command.args.flatMap((arg) => {
    if (arg === '--chdir') return ['--ro-bind', INTRUDER, INTRUDER, arg]; // Bubblewrap's.
    if (!arg.endsWith('/sandbox/runner.mjs')) return [arg];
    return command.args.includes('--permission') ? [`--allow-fs-read=${INTRUDER}`, INTRUDER] : [INTRUDER];
  });
  const intruder = await RunnerProcess.start({ ...command, args });
  await intruder.kill();
  return { managed: intruder.ready.layers, active: layers };
}

/** Layers that hide each other: with one of them gone the other still stands, so they go together. */
const STOPPED_BY: [deed: string, layers: string[]][] = [
  ['readsFiles', ['permission']],
  ['startsPrograms', ['permission']],
  ['writesFiles', ['permission', 'prlimit']],
  ['readsEnvironment', ['empty-environment']],
  ['makesMachineCode', ['jitless']],
  ['takesMemory', ['prlimit']],
  ['gainsPrivileges', ['permission', 'no-new-privileges']],
  ['reachesNetwork', ['permission', 'no-network']],
];

describe('code that owns the runner', () => {
  it('manages nothing that a layer of this machine is for', async () => {
    const { managed, active } = await intrude();
    const held = STOPPED_BY.filter(([, layers]) => layers.some((layer) => active.includes(layer)));
    for (const [deed] of held) expect(managed).not.toContain(deed);
    expect(held.length).toBeGreaterThanOrEqual(7); // `prlimit` may be missing; the others need nothing but Node.
  });

  it.each(STOPPED_BY)('manages %s without %j', async (deed, layers) => {
    // Bubblewrap stands for several layers at once.
    expect((await intrude([...layers, 'bwrap'])).managed).toContain(deed);
  });

  it.skipIf(findProgram('bwrap') === undefined)(
    'finds no file inside bubblewrap, even without permission',
    async () => {
      const { managed, active } = await intrude(['permission']);
      if (active.includes('bwrap')) expect(managed).not.toContain('readsFiles');
    },
  );
});

describe('start', () => {
  it('refuses when a required layer is not to be had', async () => {
    const options = {
      runners: 1,
      timeoutMs: 100,
      memoryMb: 16,
      logger,
      withoutLayers: ['jitless'],
      require: ['jitless'],
    };
    await expect(harden(options)).rejects.toThrow('jitless (switched off)');
  });

  it('refuses a layer that nobody knows, and names those there are', async () => {
    const options = { runners: 1, timeoutMs: 100, memoryMb: 16, logger, require: ['apparmor'] };
    await expect(harden(options)).rejects.toThrow(
      `There is no sandbox layer apparmor; there are ${LAYERS.join(', ')}.`,
    );
  });
});
