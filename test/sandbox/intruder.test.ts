import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { harden, LAYERS } from '../../src/script-runners/process/hardening.ts';
import { findProgram } from '../../src/script-runners/process/layers.ts';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';

const INTRUDER = fileURLToPath(new URL('intruder.mjs', import.meta.url));
const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Returns what code that controls the runner achieves when these layers are left out. */
async function intrude(withoutLayers: string[] = []): Promise<{ managed: string[]; active: string[] }> {
  const { command, first, layers } = await harden({ runners: 1, timeoutMs: 100, memoryMb: 16, logger, withoutLayers });
  await first.kill();
  // Makes the intruder's own source readable. Otherwise it would fail to start rather than be stopped by a layer.
  const args = command.args.flatMap((arg) => {
    if (arg === '--chdir') return ['--ro-bind', INTRUDER, INTRUDER, arg]; // For bubblewrap.
    if (!arg.endsWith('/sandbox/runner.mjs')) return [arg];
    return command.args.includes('--permission') ? [`--allow-fs-read=${INTRUDER}`, INTRUDER] : [INTRUDER];
  });
  const intruder = await RunnerProcess.start({ ...command, args });
  await intruder.kill();
  return { managed: intruder.ready.layers, active: layers };
}

/** Layers that prevent each deed. Where several prevent the same one, all of them are left out together. */
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

describe('code that controls the runner', () => {
  it('achieves nothing that an active layer prevents', async () => {
    const { managed, active } = await intrude();
    const held = STOPPED_BY.filter(([, layers]) => layers.some((layer) => active.includes(layer)));
    for (const [deed] of held) expect(managed).not.toContain(deed);
    expect(held.length).toBeGreaterThanOrEqual(7); // `prlimit` may be missing. The others need only Node.
  });

  it.each(STOPPED_BY)('achieves %s without %j', async (deed, layers) => {
    // Bubblewrap includes several layers.
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
  it('fails if a required layer is not available', async () => {
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

  it('refuses an unknown layer and names the available ones', async () => {
    const options = { runners: 1, timeoutMs: 100, memoryMb: 16, logger, require: ['apparmor'] };
    await expect(harden(options)).rejects.toThrow(
      `Unknown sandbox layer: apparmor. Available layers: ${LAYERS.join(', ')}.`,
    );
  });
});
