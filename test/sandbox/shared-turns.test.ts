import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/script-runners/limits.ts';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';
import { Lane } from '../../src/script-runners/runner-group.ts';
import type { Sandbox } from '../../src/script-runners/sandbox.ts';
import type { Answer } from '../../src/script-runners/types.ts';
import { BENIGN, INPUT, startSandbox } from './support.ts';

/** What it does, and for how long, is for its input to say. */
const SOURCE = `function getCustomJwtClaims({ token: { deed, name } }) {
  if (deed === 'stuck') Array.prototype.indexOf.call({ length: 2 ** 53 }, 1);
  if (deed === 'loop') for (;;);
  if (deed === 'hoard') for (const kept = []; ; ) kept.push(Array(1000).fill(1.5));
  if (deed === 'slow') for (const end = Date.now() + 60; Date.now() < end; );
  if (deed === 'throw') throw new Error(name);
  return { name };
}`;
const RUNS = 40;

const run = (sandbox: Sandbox, deed: string, name: string) =>
  sandbox.run({ tenantId: 'tenant', source: SOURCE, input: JSON.stringify({ token: { deed, name } }) });
const sharedOf = (sandbox: Sandbox) => sandbox.status().lanes.find(({ name }) => name === 'shared');

/** A sandbox that knows that this script is quick. */
async function acquainted(timeoutMs: number) {
  // Those who wait beside one that is stuck are moved with their tenant, to a lane that is slow to start on a busy machine.
  const sandbox = await startSandbox({ runners: 1, timeoutMs, limits: { graceMs: 400, waitMs: 60_000 } });
  await Promise.all(Array.from({ length: RUNS }, (_, index) => run(sandbox, 'quick', String(index))));
  return sandbox;
}

const LIAR = fileURLToPath(new URL('liar.mjs', import.meta.url));

async function laneOfLiars(way: string): Promise<Lane> {
  const lane = new Lane({
    name: 'liars',
    size: 1,
    standby: 0,
    spawn: () => RunnerProcess.start({ file: process.execPath, args: [LIAR, way], inheritsEnvironment: true }),
    onKill: () => {},
    onEnd: () => {},
    limits: LIMITS,
    broker: undefined,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  await lane.open();
  return lane;
}

const submit = (lane: Lane): Promise<Answer> =>
  new Promise((settle) => {
    const script = { tenantId: 'tenant', source: BENIGN, key: 'key' };
    const queuedAt = performance.now();
    lane.submit({ script, input: INPUT, timeoutMs: 200, memoryMb: 16, queuedAt, requeues: 0, settle });
  });

describe('quick runs of one script', () => {
  it('share turns of the runner, and each has its own answer', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    const outcomes = await Promise.all(
      Array.from({ length: 2 * RUNS }, (_, index) => run(sandbox, index % 7 === 3 ? 'throw' : 'quick', String(index))),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (index % 7 === 3)
        expect(outcome).toMatchObject({ result: 'thrown', message: expect.stringContaining(`${index} `) });
      else expect(outcome).toMatchObject({ result: 'ok', output: { name: String(index) } });
      expect(outcome.wallMs).toBeGreaterThan(0);
      expect(outcome.cpuMs).toBeLessThanOrEqual(outcome.wallMs);
    }
    expect(sharedOf(sandbox)?.turns).toBeLessThan(2 * RUNS);
  });

  it.each([
    ['stuck', 'killed'],
    ['loop', 'timeout'],
    ['hoard', 'memory'],
  ])('suffer nothing from one among them that is %s', async (deed, result) => {
    await using sandbox = await acquainted(500);
    const outcomes = await Promise.all(
      Array.from({ length: RUNS }, (_, index) => run(sandbox, index === 11 ? deed : 'quick', String(index))),
    );
    expect(outcomes[11]).toMatchObject({ result });
    for (const [index, outcome] of outcomes.entries()) {
      if (index !== 11) expect(outcome).toMatchObject({ result: 'ok', output: { name: String(index) } });
    }
    expect(sharedOf(sandbox)?.deaths).toBeLessThanOrEqual(1);
  });

  it('are all answered when several among them end their runner', async () => {
    await using sandbox = await acquainted(2_000);
    const stuck = [6, 9, 11];
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_, index) => run(sandbox, stuck.includes(index) ? 'stuck' : 'quick', String(index))),
    );
    const results = outcomes.map(({ result }, index) => (stuck.includes(index) ? '' : result));
    expect(results.filter((result) => result !== '')).toEqual(Array(21).fill('ok'));
  });

  it('share turns also when their inputs are long', async () => {
    await using sandbox = await acquainted(5_000);
    const before = sharedOf(sandbox)?.turns ?? 0;
    const names = Array.from({ length: RUNS }, (_, index) => `${index}`.padEnd(15_000, 'x'));
    const outcomes = await Promise.all(names.map((name) => run(sandbox, 'quick', name)));
    expect(outcomes.map((outcome) => outcome.result === 'ok' && outcome.output.name)).toEqual(names);
    expect((sharedOf(sandbox)?.turns ?? 0) - before).toBeLessThan(RUNS);
  });

  it('give way to another tenant when they turn out to be slow, and keep their order', async () => {
    await using sandbox = await acquainted(5_000);
    const order: string[] = [];
    const slow = Array.from({ length: 8 }, (_, index) =>
      run(sandbox, 'slow', String(index)).then(() => order.push(`slow ${index}`)),
    );
    await pause(20);
    const before = order.length;
    await sandbox.run({ tenantId: 'other', source: BENIGN, input: INPUT });
    order.push('other');
    await Promise.all(slow);
    expect(order.indexOf('other') - before).toBeLessThan(3);
    expect(order.filter((name) => name !== 'other')).toEqual(slow.map((_, index) => `slow ${index}`));
  });
});

describe('a runner that lies', () => {
  it('is replaced when it gives back what it was to begin, and the run does not go on for ever', async () => {
    const lane = await laneOfLiars('shirks');
    expect(await submit(lane)).toMatchObject({ from: 'pool', result: 'overloaded' });
    expect(lane.status.deaths).toBe(LIMITS.requeues + 1);
    await lane.close();
  });

  it('is stopped in time whatever it says to be executing', async () => {
    const lane = await laneOfLiars('stalls');
    await submit(lane); // From now on its script counts as quick.
    const watch = setInterval(() => lane.watch(performance.now()), LIMITS.watchMs);
    const answers = await Promise.all(Array.from({ length: LIMITS.turnRuns }, () => submit(lane)));
    clearInterval(watch);
    // The first ended the runner; each of the others went alone then, and was answered.
    expect(answers.filter(({ from }) => from === 'pool')).toHaveLength(1);
    expect(lane.status).toMatchObject({ deaths: 1, executing: 0 });
    await lane.close();
  });

  it('leaves no run without an answer when the lane is closed before it gives it back', async () => {
    const lane = await laneOfLiars('keeps');
    await submit(lane);
    const runs = Array.from({ length: 5 }, () => submit(lane));
    await turn(); // Now it has them.
    for (const end = performance.now() + 100; performance.now() < end; ); // What it says now is read after the lane is closed.
    await lane.close();
    const closed = { from: 'pool', result: 'overloaded', message: 'The sandbox is closed.' };
    expect(await Promise.all(runs)).toMatchObject(Array(5).fill(closed));
  });
});
