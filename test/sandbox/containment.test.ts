import { describe, expect, it } from 'vitest';
import type { RunOutcome, Sandbox, SandboxOptions } from '../../src/script-runners/sandbox.ts';
import { type HostileScript, readCorpus } from './corpus.ts';
import { BENIGN, INPUT, runnersAlive, startSandbox } from './support.ts';

const corpus = readCorpus();

/**
 * Limits by layer, so that each layer has to stop its scripts alone. Where the deadline must not help, it is so late that it cannot
 * pass first, even on a busy host.
 */
const CIRCUMSTANCES: Record<string, Partial<SandboxOptions>> = {
  'wall-deadline': { timeoutMs: 250 },
  'process-border': { timeoutMs: 400 },
  'isolate-memory': { timeoutMs: 400, limits: { graceMs: 3_000 } },
  'runner-memory': { timeoutMs: 400 },
  'script-time': { timeoutMs: 150, limits: { graceMs: 3_000 } },
  default: { timeoutMs: 1_000, limits: { graceMs: 3_000 } },
};

/** Time limit in milliseconds of scripts marked `unhurried`. */
const UNHURRIED_MS = 30_000;

/** Milliseconds within which every script that must be stopped has an outcome: five times its limit, for a busy host. */
const ANSWERED_MS = 20_000;

/** Time limit in milliseconds of the innocent neighbour, longer than that of hostile scripts because the host may be busy. */
const NEIGHBOUR_MS = 2_000;

async function attack(sandbox: Sandbox, script: HostileScript, limitMs: number | undefined): Promise<RunOutcome[]> {
  const timeoutMs = script.unhurried ? UNHURRIED_MS : limitMs;
  const outcomes: RunOutcome[] = [];
  for (let run = 0; run < script.runs; run++) {
    const tenantId = `${script.category}/${script.name}${script.tenants ? run : ''}`;
    outcomes.push(await sandbox.run({ tenantId, source: script.source, input: INPUT, timeoutMs }));
  }
  return outcomes;
}

function expectContained(script: HostileScript, outcomes: RunOutcome[]): void {
  const last = outcomes.at(-1) as RunOutcome;
  const message = last.result === 'ok' ? '' : last.message;
  expect(script.expected, `${last.result}: ${message}`).toContain(last.result);
  if (!script.unhurried) expect(last.wallMs).toBeLessThan(ANSWERED_MS);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1_000);
  expect(last.console.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(16_000);
  if (script.output !== undefined) expect('output' in last && last.output).toEqual(script.output);
  if (last.result === 'ok') expect(Object.keys(last.output)).not.toContain('__proto__');
  if (script.message !== undefined) expect(message).toBe(script.message);
  if (script.console !== undefined) expect(last.console).toHaveLength(script.console);
  if (script.differs) expect(outcomes[0]).not.toEqual(outcomes[1]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

/** Returns what was not contained, with the script's name. Runs two scripts at a time, each followed by an innocent neighbour. */
async function faultsOf(scripts: HostileScript[], options: Partial<SandboxOptions>): Promise<string[]> {
  const faults: string[] = [];
  await using sandbox = await startSandbox({ ...options, timeoutMs: UNHURRIED_MS });
  const waiting = [...scripts];
  const worker = async () => {
    for (let script = waiting.shift(); script; script = waiting.shift()) {
      try {
        expectContained(script, await attack(sandbox, script, options.timeoutMs));
        const neighbour = await sandbox.run({
          tenantId: 'neighbour',
          source: BENIGN,
          input: INPUT,
          timeoutMs: NEIGHBOUR_MS,
        });
        expect(neighbour).toMatchObject({ result: 'ok', output: { benign: 'jti' } });
      } catch (error) {
        faults.push(`${script.category}: ${script.name} (${script.layer}): ${(error as Error).message}`);
      }
    }
  };
  await Promise.all([worker(), worker()]);
  return faults;
}

describe.each([{ harden: true }, { harden: false }])('hostile scripts, hardening: $harden', ({ harden }) => {
  const groups = Map.groupBy(corpus, ({ layer }) => (layer in CIRCUMSTANCES ? layer : 'default'));

  it.each([...groups])('%s contains its scripts', { timeout: 90_000 }, async (layer, scripts) => {
    expect(await faultsOf(scripts, { harden, ...CIRCUMSTANCES[layer] })).toEqual([]);
    expect(runnersAlive()).toEqual([]);
  });
});

it('has at least 120 hostile scripts with unique names', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(120);
  expect(new Set(corpus.map(({ category, name }) => `${category}/${name}`)).size).toBe(corpus.length);
});
