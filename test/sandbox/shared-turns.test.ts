import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fetchBroker } from '../../src/script-runners/fetch-broker.ts';
import { LIMITS } from '../../src/script-runners/limits.ts';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';
import { Run } from '../../src/script-runners/run.ts';
import { RunnerGroup } from '../../src/script-runners/runner-group.ts';
import type { Sandbox, SandboxFetch } from '../../src/script-runners/sandbox.ts';
import type { RunAnswer } from '../../src/script-runners/types.ts';
import { BENIGN, INPUT, logger, startSandbox } from './support.ts';

/** A script whose behavior is selected by its input. */
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
const sharedOf = (sandbox: Sandbox) => sandbox.status().groups.find(({ name }) => name === 'shared');

/** Starts a sandbox that knows the script as quick. */
async function acquainted(timeoutMs: number) {
  // Runs that wait for a stuck one move with their tenant to the quarantine group, which starts slowly on a busy host. The standby does
  // not help, because runs of one tenant keep their order only on one runner.
  const limits = { graceMs: 400, waitMs: 60_000, helpMs: 60_000 };
  const sandbox = await startSandbox({ runners: 1, timeoutMs, limits });
  await Promise.all(Array.from({ length: RUNS }, (_, index) => run(sandbox, 'quick', String(index))));
  return sandbox;
}

const LIAR = fileURLToPath(new URL('liar.mjs', import.meta.url));

const startLiar = (way: string) =>
  RunnerProcess.start({ file: process.execPath, args: [LIAR, way], inheritsEnvironment: true });

/** @param fetch absent if scripts have none */
async function groupOfLiars(
  way: string,
  { fetch, spawn = () => startLiar(way) }: { fetch?: SandboxFetch; spawn?: () => Promise<RunnerProcess> } = {},
): Promise<RunnerGroup> {
  const group = new RunnerGroup({
    name: 'liars',
    size: 1,
    standby: 0,
    spawn,
    listener: { runnerKilled: () => {}, runnerEnded: () => {} },
    limits: LIMITS,
    broker: fetch && fetchBroker(fetch, LIMITS),
    logger,
  });
  await group.open();
  return group;
}

function submit(group: RunnerGroup): Promise<RunAnswer> {
  const script = { tenantId: 'tenant', source: BENIGN, key: 'key' };
  const run = new Run({ script, input: INPUT, timeoutMs: 200, memoryMb: 16 });
  group.submit(run);
  return run.answer;
}

describe('quick runs of one script', () => {
  it('share turns of the runner, and each gets its own outcome', async () => {
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

  it('share turns while other tenants wait', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    const of = (tenantId: string) => sandbox.run({ tenantId, source: BENIGN, input: INPUT });
    const tenants = ['first', 'second'];
    for (const tenantId of tenants) while ((await of(tenantId)).wallMs > 1);
    const before = sharedOf(sandbox)?.turns ?? 0;
    await Promise.all(Array.from({ length: 2 * RUNS }, (_, index) => of(tenants[index % 2] as string)));
    expect((sharedOf(sandbox)?.turns ?? 0) - before).toBeLessThan(RUNS);
  });

  it.each([
    ['stuck', 'killed'],
    ['loop', 'timeout'],
    ['hoard', 'memory'],
  ])('all succeed next to one that is %s', async (deed, result) => {
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

  it('all succeed when several others kill their runner', async () => {
    await using sandbox = await acquainted(2_000);
    const stuck = [6, 9, 11];
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_, index) => run(sandbox, stuck.includes(index) ? 'stuck' : 'quick', String(index))),
    );
    const results = outcomes.map(({ result }, index) => (stuck.includes(index) ? '' : result));
    expect(results.filter((result) => result !== '')).toEqual(Array(21).fill('ok'));
  });

  it('share turns even if their inputs are long', async () => {
    await using sandbox = await acquainted(5_000);
    const before = sharedOf(sandbox)?.turns ?? 0;
    const names = Array.from({ length: RUNS }, (_, index) => `${index}`.padEnd(15_000, 'x'));
    const outcomes = await Promise.all(names.map((name) => run(sandbox, 'quick', name)));
    expect(outcomes.map((outcome) => outcome.result === 'ok' && outcome.output.name)).toEqual(names);
    expect((sharedOf(sandbox)?.turns ?? 0) - before).toBeLessThan(RUNS);
  });

  it('yield to another tenant when they turn out to be slow, and keep their order', async () => {
    await using sandbox = await acquainted(5_000);
    const order: string[] = [];
    const slow = Array.from({ length: 8 }, (_, index) =>
      run(sandbox, 'slow', String(index)).then(() => order.push(`slow ${index}`)),
    );
    await expect.poll(() => sharedOf(sandbox)?.executing).toBeGreaterThan(0);
    const before = order.length;
    await sandbox.run({ tenantId: 'other', source: BENIGN, input: INPUT });
    order.push('other');
    await Promise.all(slow);
    expect(order.indexOf('other') - before).toBeLessThan(3);
    expect(order.filter((name) => name !== 'other')).toEqual(slow.map((_, index) => `slow ${index}`));
  });
});

describe('a runner that lies', () => {
  it('is replaced when it hands back the first run of a turn, and the run is not retried forever', async () => {
    const group = await groupOfLiars('shirks');
    expect(await submit(group)).toMatchObject({ from: 'pool', result: 'overloaded' });
    expect(group.status.deaths).toBe(LIMITS.requeues + 1);
    await group.close();
  });

  it('is stopped in time no matter which run it reports as begun', async () => {
    const group = await groupOfLiars('stalls');
    await submit(group); // Now the script counts as quick.
    const watch = setInterval(() => group.watch(performance.now()), LIMITS.watchMs);
    const answers = await Promise.all(Array.from({ length: LIMITS.turnRuns }, () => submit(group)));
    clearInterval(watch);
    // The first one killed the runner. Each of the others was then executed alone and answered.
    expect(answers.filter(({ from }) => from === 'pool')).toHaveLength(1);
    expect(group.status).toMatchObject({ deaths: 1, executing: 0 });
    await group.close();
  });

  it('leaves no run unanswered when the group is closed before the runner hands it back', async () => {
    const group = await groupOfLiars('keeps');
    await submit(group);
    const runs = Array.from({ length: 5 }, () => submit(group));
    await turn(); // The runner has received them.
    for (const end = performance.now() + 100; performance.now() < end; ); // Its replies are read after the group is closed.
    await group.close();
    const closed = { from: 'pool', result: 'overloaded', message: 'The sandbox is closed.' };
    expect(await Promise.all(runs)).toMatchObject(Array(5).fill(closed));
  });

  it('leaves no run unanswered when it reports twice that the run waits for a fetch', async () => {
    const group = await groupOfLiars('parks', { fetch: () => new Promise(() => {}) });
    expect(await submit(group)).toMatchObject({ from: 'pool', result: 'killed' });
    expect(group.status).toMatchObject({ deaths: 1, executing: 0 });
    await group.close();
  });
});

it('a runner that ended before its group used it is replaced, and the run succeeds on another', async () => {
  const dead = await startLiar('keeps');
  await dead.kill();
  const spawned = [Promise.resolve(dead)];
  const group = await groupOfLiars('keeps', { spawn: () => spawned.pop() ?? startLiar('keeps') });
  const watch = setInterval(() => group.watch(performance.now()), LIMITS.watchMs);
  expect(await submit(group)).toMatchObject({ from: 'runner', reply: { result: 'ok' } });
  clearInterval(watch);
  expect(group.status).toMatchObject({ deaths: 1, executing: 0 });
  await group.close();
});
