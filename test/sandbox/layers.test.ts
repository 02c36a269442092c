import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/script-runners/sandbox.ts';
import { type HostileScript, readCorpus } from './corpus.ts';
import { INPUT, startSandbox } from './support.ts';

/** Options that switch off one layer each. */
const SWITCHED_OFF: Record<string, Partial<SandboxOptions>> = {
  'script-time': { timeoutMs: 60_000 },
  'wall-deadline': { limits: { graceMs: Number.POSITIVE_INFINITY } },
  'isolate-memory': { memoryMb: 1_024, timeoutMs: 10_000 },
  'result-size': { limits: { resultBytes: 10_000_000 } },
  'console-size': { limits: { consoleBytes: 10_000_000 } },
  'message-size': { limits: { messageBytes: 10_000_000 } },
};

const scripts = readCorpus().filter(({ off, layer }) => off && SWITCHED_OFF[layer]);

/** Milliseconds after which a script counts as not stopped. Its layer would stop it after 100. */
const STILL_RUNNING_MS = 1_200;

describe('a layer that is switched off', () => {
  it.each(scripts)(
    'lets its script through: $layer: $category, $name',
    async ({ layer, off, source }: HostileScript) => {
      await using sandbox = await startSandbox({
        runners: 1,
        timeoutMs: off === 'runs on' ? 100 : 10_000,
        ...SWITCHED_OFF[layer],
      });
      const run = sandbox.run({ tenantId: 'tenant', source, input: INPUT });
      if (off === 'runs on') {
        const late = new Promise((resolve) => setTimeout(resolve, STILL_RUNNING_MS, 'still running'));
        expect(await Promise.race([run, late])).toBe('still running');
        return;
      }
      const outcome = await run;
      if (off === 'ok') expect(outcome.result).toBe('ok');
      const written = outcome.console.reduce((sum, { text }) => sum + text.length + 16, 0);
      if (off === 'more console') expect(written).toBeGreaterThan(16_000);
      if (off === 'more message') expect('message' in outcome && outcome.message.length).toBeGreaterThan(1_000);
    },
  );

  it.each(scripts.filter(({ off }) => off === 'ok'))(
    'stops its script when it is switched on: $name',
    async ({ expected: [first], source }) => {
      await using sandbox = await startSandbox({ runners: 1, timeoutMs: 10_000 });
      expect((await sandbox.run({ tenantId: 'tenant', source, input: INPUT })).result).toBe(first);
    },
  );

  it('is tested with at least ten scripts', () => {
    expect(scripts.length).toBeGreaterThanOrEqual(10);
  });
});
