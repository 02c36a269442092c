import { describe, expect, it } from 'vitest';
import type { RunOutcome, Sandbox } from '../../src/script-runners/sandbox.ts';
import { BENIGN, INPUT, runnersAlive, startSandbox } from './support.ts';

/** Keeps its runner busy, in JavaScript, for about this many milliseconds. */
const busy = (ms: number) =>
  `const getCustomJwtClaims = () => { const end = Date.now() + ${ms}; while (Date.now() < end); return {}; };`;
const CRASH = `const getCustomJwtClaims = () => ({ n: 'x'.repeat(2 ** 28).split('').length });`;
const LOOP = 'const getCustomJwtClaims = () => { for (;;); };';
const STUCK = 'const getCustomJwtClaims = () => ({ i: Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) });';

/** Time limit in milliseconds of runs that must be stopped. The others have enough time even on a busy host. */
const KILLED_AFTER_MS = 300;

const run = (sandbox: Sandbox, tenantId: string, source: string, timeoutMs?: number) =>
  sandbox.run({ tenantId, source, input: INPUT, timeoutMs });
const groupOf = (sandbox: Sandbox, name: string) => sandbox.status().groups.find((group) => group.name === name);
const resultsOf = (outcomes: RunOutcome[]) => outcomes.map(({ result }) => result);

describe('scheduling', () => {
  it('alternates between tenants, regardless of how many runs one of them has waiting', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000 });
    const order: string[] = [];
    const of = (tenantId: string) => run(sandbox, tenantId, busy(5)).then(() => order.push(tenantId));
    await Promise.all([...Array.from({ length: 10 }, () => of('greedy')), of('modest'), of('shy')]);
    expect(order.indexOf('modest')).toBeLessThan(4);
    expect(order.indexOf('shy')).toBeLessThan(4);
  });

  it('gives a tenant only one runner while another tenant waits', async () => {
    await using sandbox = await startSandbox({ runners: 2, timeoutMs: 2_000 });
    const order: string[] = [];
    const of = (name: string, source: string) => run(sandbox, name.slice(0, -1), source).then(() => order.push(name));
    const greedy = [1, 2, 3, 4].map((n) => of(`greedy${n}`, busy(500)));
    await Promise.all([...greedy, of('modest1', BENIGN)]);
    // Both runners were busy when it arrived. It got the first free one, although another run of `greedy` had arrived earlier.
    expect(order.indexOf('modest1')).toBeLessThan(order.indexOf('greedy3'));
  });

  it('answers runs beyond the queue limit as overloaded at once, and executes the others', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000, limits: { waitingPerTenant: 3 } });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => run(sandbox, 'tenant', busy(20))));
    expect(resultsOf(outcomes)).toEqual([...Array(4).fill('ok'), ...Array(6).fill('overloaded')]);
  });

  it('answers runs that waited too long as overloaded', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000, limits: { waitMs: 50 } });
    const [first, second] = await Promise.all([run(sandbox, 'a', busy(300)), run(sandbox, 'b', BENIGN)]);
    expect(resultsOf([first, second])).toEqual(['ok', 'overloaded']);
    expect(await run(sandbox, 'b', BENIGN)).toMatchObject({ result: 'ok' });
  });
});

describe('a runner that ends', () => {
  it('is replaced by the standby, so the next run does not wait for a process to start', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 2_000 });
    await run(sandbox, 'benign', BENIGN);
    const [killer, next] = await Promise.all([
      run(sandbox, 'killer', STUCK, KILLED_AFTER_MS),
      run(sandbox, 'benign', BENIGN),
    ]);
    expect(killer).toMatchObject({ result: 'killed' });
    expect(next).toMatchObject({ result: 'ok', output: { benign: 'jti' } });
    await expect.poll(() => groupOf(sandbox, 'shared')).toMatchObject({ ready: 2 });
    // It died in the quarantine group if it was moved there while the other run waited.
    expect(sandbox.status().groups.reduce((sum, { deaths }) => sum + deaths, 0)).toBe(1);
  });

  it('does not fail a run that it had not begun', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    await run(sandbox, 'benign', BENIGN);
    // A stopped runner does not read its socket, so the run has been sent but not begun when the runner is killed.
    const pid = groupOf(sandbox, 'shared')?.runners[0]?.pid as number;
    process.kill(pid, 'SIGSTOP');
    const innocent = run(sandbox, 'benign', BENIGN);
    process.kill(pid, 'SIGKILL');
    expect(await innocent).toMatchObject({ result: 'ok', output: { benign: 'jti' } });
    expect(groupOf(sandbox, 'shared')).toMatchObject({ deaths: 1 });
  });

  it('is replaced even when runners keep exiting by themselves', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 2_000 });
    for (let i = 0; i < 4; i++) {
      const { runners = [] } = groupOf(sandbox, 'shared') ?? {};
      for (const { pid } of runners) process.kill(pid, 'SIGKILL');
      await expect
        .poll(
          () => groupOf(sandbox, 'shared')?.runners.filter(({ pid }) => !runners.some((old) => old.pid === pid)).length,
        )
        .toBe(2);
    }
    expect(await run(sandbox, 'benign', BENIGN)).toMatchObject({ result: 'ok' });
  });
});

describe('quarantine', () => {
  it('lets other tenants go before one whose runs were stopped twice', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000, limits: { graceMs: 3_000 } });
    for (let i = 0; i < 2; i++) expect(resultsOf([await run(sandbox, 'looper', LOOP)])).toEqual(['timeout']);
    const order: string[] = [];
    const looping = [1, 2, 3].map(() => run(sandbox, 'looper', LOOP).then(() => order.push('looper')));
    await run(sandbox, 'neighbour', BENIGN).then(() => order.push('neighbour'));
    await Promise.all(looping);
    expect(order).toEqual(['neighbour', 'looper', 'looper', 'looper']);
    expect(groupOf(sandbox, 'quarantine')).toMatchObject({ size: 1 });
  });

  it('counts a kill once, no matter how long the run kept its runner busy', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 400 });
    expect(resultsOf([await run(sandbox, 'killer', STUCK)])).toEqual(['killed']);
    expect(sandbox.status().quarantine).toEqual({ tenants: 0, scripts: 0 });
    expect(resultsOf([await run(sandbox, 'killer', STUCK)])).toEqual(['killed']);
    expect(sandbox.status().quarantine).toEqual({ tenants: 1, scripts: 0 });
  });

  it('disables a script after ten kills, only for its tenant, until it is uploaded again', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 2_000, limits: { waitMs: 60_000 } });
    for (let i = 0; i < 10; i++)
      expect(resultsOf([await run(sandbox, 'killer', STUCK, KILLED_AFTER_MS)])).toEqual(['killed']);
    expect(await run(sandbox, 'killer', STUCK, KILLED_AFTER_MS)).toMatchObject({
      result: 'quarantined',
      message: expect.stringContaining('Upload it again'),
    });
    expect(await run(sandbox, 'killer', BENIGN)).toMatchObject({ result: 'ok' });
    expect(sandbox.status().quarantine).toEqual({ tenants: 1, scripts: 1 });

    expect(await sandbox.compile('killer', STUCK)).toEqual({ ok: true });
    expect(await run(sandbox, 'killer', STUCK, KILLED_AFTER_MS)).toMatchObject({ result: 'killed' });
  });

  it('serves other tenants while one crashes runners as fast as it can', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 2_000 });
    let isOver = false;
    const attack = async (source: string) => {
      for (let i = 0; !isOver; i++) await run(sandbox, 'attacker', `${source} // ${i}`, KILLED_AFTER_MS);
    };
    const attacks = [attack(CRASH), attack(STUCK), attack(LOOP)];
    const outcomes: RunOutcome[] = [];
    for (let i = 0; i < 200; i++) outcomes.push(await run(sandbox, 'neighbour', BENIGN));
    isOver = true;
    await Promise.all(attacks);
    expect(new Set(resultsOf(outcomes))).toEqual(new Set(['ok']));
  });
});

describe('a runner per tenant', () => {
  it('never shares a process, and does not wait for one to start', async () => {
    await using sandbox = await startSandbox({ isolation: 'runner-per-tenant', timeoutMs: 2_000 });
    for (const tenantId of ['a', 'b', 'a'])
      expect(await run(sandbox, tenantId, BENIGN)).toMatchObject({ result: 'ok' });
    const groups = sandbox.status().groups.map(({ name, runners }) => [name, runners.length]);
    expect(groups).toEqual([
      ['tenant:a', 1],
      ['tenant:b', 1],
    ]);
    expect(new Set(sandbox.status().groups.flatMap(({ runners }) => runners.map(({ pid }) => pid))).size).toBe(2);
  });
});

describe('scripts', () => {
  it('are unloaded by scripts used later, and still work', async () => {
    await using sandbox = await startSandbox({
      runners: 1,
      timeoutMs: 1_000,
      limits: { loadedScripts: 3, runsPerIsolate: 4 },
    });
    for (let i = 0; i < 20; i++) {
      const source = `const getCustomJwtClaims = () => ({ script: ${i % 5} });`;
      expect(await run(sandbox, 'tenant', source)).toMatchObject({ result: 'ok', output: { script: i % 5 } });
    }
    expect(groupOf(sandbox, 'shared')?.runners[0]?.loadedScripts).toBe(3);
  });

  it('are checked before they are saved', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 300, limits: { graceMs: 3_000 } });
    expect(await sandbox.compile('t', BENIGN)).toEqual({ ok: true });
    expect(await sandbox.compile('t', 'const a = 1;\n  const b = ;')).toEqual({
      ok: false,
      message: "SyntaxError: Unexpected token ';' (line 2, column 13)",
      line: 2,
      column: 13,
    });
    expect(await sandbox.compile('t', 'foo(')).toMatchObject({
      ok: false,
      line: 1,
      message: expect.stringContaining('SyntaxError'),
    });
    expect(await sandbox.compile('t', 'const other = 1;')).toMatchObject({
      ok: false,
      message: expect.stringContaining('getCustomJwtClaims'),
    });
    expect(await sandbox.compile('t', 'for (;;);')).toMatchObject({
      ok: false,
      message: 'The top level of the script does not end.',
    });
    expect(await sandbox.compile('t', ' '.repeat(65_537))).toMatchObject({
      ok: false,
      message: expect.stringContaining('65536'),
    });
  });
});

it('leaves no child process behind, even when it is closed during runs', async () => {
  const sandbox = await startSandbox({ runners: 2, timeoutMs: 2_000 });
  const runs = ['a', 'b', 'c'].map((tenantId) => run(sandbox, tenantId, STUCK));
  await sandbox.close();
  expect(runnersAlive()).toEqual([]);
  expect(resultsOf(await Promise.all(runs)).every((result) => ['killed', 'overloaded'].includes(result))).toBe(true);
});

it('starts no runner after it is closed', async () => {
  const sandbox = await startSandbox({ runners: 1 });
  await sandbox.close();
  const closed = { result: 'overloaded', message: 'The sandbox is closed.' };
  expect(await run(sandbox, 'tenant', BENIGN)).toMatchObject(closed);
  expect(runnersAlive()).toEqual([]);
});
