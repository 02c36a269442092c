import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { RunnerProcess } from '../../src/custom-claims/runner-process.ts';
import type { Sandbox } from '../../src/custom-claims/sandbox.ts';
import { Lane } from '../../src/custom-claims/sandbox-lane.ts';
import { LIMITS } from '../../src/custom-claims/sandbox-limits.ts';
import type { Answer } from '../../src/custom-claims/sandbox-types.ts';
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

const run = (sandbox: Sandbox, deed: string, name: string, timeoutMs?: number) =>
  sandbox.run({ tenantId: 'tenant', source: SOURCE, input: JSON.stringify({ token: { deed, name } }), timeoutMs });
const sharedOf = (sandbox: Sandbox) => sandbox.status().lanes.find(({ name }) => name === 'shared');

/** A sandbox that knows that this script is quick. */
async function acquainted(timeoutMs: number) {
  const sandbox = await startSandbox({ runners: 1, timeoutMs, limits: { graceMs: 400 } });
  await Promise.all(Array.from({ length: RUNS }, (_, index) => run(sandbox, 'quick', String(index))));
  return sandbox;
}

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

it('a runner that gives back what it was to begin is replaced, and the run does not go on for ever', async () => {
  const liar = fileURLToPath(new URL('liar.mjs', import.meta.url));
  const lane = new Lane({
    name: 'liars',
    size: 1,
    standby: 0,
    spawn: () => RunnerProcess.start({ file: process.execPath, args: [liar], inheritsEnvironment: true }),
    onKill: () => {},
    onEnd: () => {},
    limits: LIMITS,
    broker: undefined,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  await lane.open();
  const script = { tenantId: 'tenant', source: BENIGN, key: 'key' };
  const answer = await new Promise<Answer>((settle) => {
    lane.submit({ script, input: INPUT, timeoutMs: 1_000, memoryMb: 16, queuedAt: 0, requeues: 0, settle });
  });
  expect(answer).toMatchObject({ from: 'pool', result: 'overloaded' });
  expect(lane.status.deaths).toBe(LIMITS.requeues + 1);
  await lane.close();
});
