import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/script-runners/limits.ts';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';
import { Quarantine } from '../../src/script-runners/quarantine.ts';
import { Run } from '../../src/script-runners/run.ts';
import type { RunnerOwner } from '../../src/script-runners/runner/owner.ts';
import { Runner } from '../../src/script-runners/runner/runner.ts';
import type { RunOutcome } from '../../src/script-runners/types.ts';
import { BENIGN, INPUT } from './support.ts';

const LIAR = fileURLToPath(new URL('liar.mjs', import.meta.url));
const SCRIPT = { tenantId: 'tenant', source: BENIGN, key: 'key' };

const newRun = () => new Run({ script: SCRIPT, input: INPUT, timeoutMs: 10_000, memoryMb: 16 });

/** Records what a runner reports. */
function recorder() {
  const reports = { handedBack: [] as Run[], innocent: [] as Run[], errors: [] as string[] };
  const owner: RunnerOwner<Runner> = {
    freed: () => {},
    handedBack: (run) => reports.handedBack.push(run),
    ended: (_, { innocent }) => reports.innocent.push(...innocent),
    failed: (_, error) => reports.errors.push((error as Error).message),
  };
  return { owner, reports };
}

describe('a transition that is not allowed', () => {
  it('ends the runner, not the service, and leaves no run behind', async () => {
    const process = await RunnerProcess.start({
      file: globalThis.process.execPath,
      args: [LIAR, 'keeps'],
      inheritsEnvironment: true,
    });
    const { owner, reports } = recorder();
    const runner = new Runner(process, owner, LIMITS, undefined);
    const [first, second, third] = [newRun(), newRun(), newRun()];
    runner.execute(first, second);
    expect(runner.isFree).toBe(false);
    runner.execute(third);

    expect(reports.errors).toEqual(['runner: executing → executing is not a transition']);
    expect(reports).toMatchObject({ handedBack: [third], innocent: [first, second] });
    expect([runner.isFree, runner.isBusy]).toEqual([false, false]);
    await process.kill();
    expect(process.exit.signal).toBe('SIGKILL');
  });

  it('is refused for a run that is already answered', async () => {
    const run = newRun();
    run.refuse('first');
    expect(() => run.refuse('second')).toThrow('run: answered → answered is not a transition');
    expect(() => run.enter('executing')).toThrow('run: answered → executing is not a transition');
    expect(await run.answer).toMatchObject({ result: 'overloaded', message: 'first' });
  });
});

describe('the quarantine', () => {
  const MINUTE = 60_000;
  const memory = { result: 'memory', wallMs: 1, cpuMs: 1 } as RunOutcome;

  function quarantineAt(now: number) {
    const clock = { now };
    const noted: string[] = [];
    return {
      clock,
      noted,
      quarantine: new Quarantine(
        () => clock.now,
        (tenantId) => noted.push(tenantId),
      ),
    };
  }

  it('holds a tenant from the second strike until ten minutes after the first', () => {
    const { clock, noted, quarantine } = quarantineAt(0);
    quarantine.ended(SCRIPT, memory);
    expect(quarantine.holds('tenant')).toBe(false);
    clock.now = 4 * MINUTE;
    quarantine.ended(SCRIPT, memory);
    expect([quarantine.holds('tenant'), quarantine.size.tenants, noted.length]).toEqual([true, 1, 2]);
    clock.now = 10 * MINUTE;
    expect([quarantine.holds('tenant'), quarantine.size.tenants]).toEqual([false, 0]);
    quarantine.ended(SCRIPT, memory);
    expect(quarantine.holds('tenant')).toBe(true);
    clock.now = 20 * MINUTE;
    expect(quarantine.holds('tenant')).toBe(false);
  });

  it('holds a tenant for ten seconds after one of its runs was moved', () => {
    const { clock, quarantine } = quarantineAt(0);
    quarantine.moved('tenant');
    expect([quarantine.holds('tenant'), quarantine.size.tenants]).toEqual([true, 0]);
    clock.now = 10_000;
    expect(quarantine.holds('tenant')).toBe(false);
  });

  it('disables a script from the tenth kill until it is uploaded again, or ten minutes after the first', () => {
    const { clock, quarantine } = quarantineAt(0);
    const kill = (times: number) => {
      for (let i = 0; i < times; i++) quarantine.killed(SCRIPT);
    };
    kill(9);
    expect(quarantine.refuses(SCRIPT)).toBe(false);
    kill(1);
    expect([quarantine.refuses(SCRIPT), quarantine.size.scripts]).toEqual([true, 1]);
    quarantine.forgive(SCRIPT);
    expect([quarantine.refuses(SCRIPT), quarantine.holds('tenant')]).toEqual([false, true]);
    kill(10);
    clock.now = 10 * MINUTE;
    expect(quarantine.refuses(SCRIPT)).toBe(false);
  });
});
