import { describe, expect, it } from 'vitest';
import type { RunOutcome, Sandbox, SandboxOptions } from '../../src/script-runners/sandbox.ts';
import { BENIGN, INPUT, startSandbox } from './support.ts';

const LOOP = 'const getCustomJwtClaims = () => { for (;;); };';
const NATIVE_LOOP = 'const getCustomJwtClaims = () => ({ i: Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) });';

/** Time limit of hostile runs in milliseconds: much longer than each of these tests, so no run is served because a hostile one timed out. */
const ENDLESS_MS = 300_000;
const PARALLEL = 8;
const HONEST_RUNS = 40;

const attackers = (count: number) => Array.from({ length: count }, (_, index) => `attacker ${index}`);
const groupOf = (sandbox: Sandbox, name: string) => sandbox.status().groups.find((group) => group.name === name);
const run = (sandbox: Sandbox, tenantId: string, source: string) => sandbox.run({ tenantId, source, input: INPUT });

/** A sandbox with one runner, in which no run is refused for waiting too long, even on a busy host. */
const startNarrow = () => startSandbox({ runners: 1, timeoutMs: ENDLESS_MS, limits: { waitMs: ENDLESS_MS } });

/** Starts all hostile runs at once and counts those that ended. */
function attack(sandbox: Sandbox, tenants: string[], source: string) {
  const state = { ended: 0 };
  for (const tenantId of tenants) {
    for (let i = 0; i < PARALLEL; i++) void run(sandbox, tenantId, source).then(() => state.ended++);
  }
  return state;
}

async function honestRuns(sandbox: Sandbox): Promise<RunOutcome[]> {
  const outcomes: RunOutcome[] = [];
  for (let i = 0; i < HONEST_RUNS; i++) outcomes.push(await run(sandbox, 'honest', BENIGN));
  return outcomes;
}

describe('an honest tenant does not wait for the end of endless runs', { timeout: 120_000 }, () => {
  it.each([
    ['one tenant with eight in parallel', 1, LOOP],
    ['one tenant with eight in native code', 1, NATIVE_LOOP],
    ['eight tenants with eight each', 8, LOOP],
    ['eight tenants with eight each in native code', 8, NATIVE_LOOP],
  ])('started by %s', async (_, count, source) => {
    await using sandbox = await startNarrow();
    await honestRuns(sandbox);
    const hostile = attack(sandbox, attackers(count), source);
    const outcomes: RunOutcome[] = [];
    // Each attacker gets one turn. Then its waiting runs leave the shared queue.
    const isAttacked = () => groupOf(sandbox, 'quarantine')?.waiting !== count * (PARALLEL - 1);
    while (isAttacked() || outcomes.length < HONEST_RUNS) outcomes.push(await run(sandbox, 'honest', BENIGN));
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['ok']));
    expect(hostile.ended).toBe(0);
    expect(groupOf(sandbox, 'shared')).toMatchObject({ waiting: 0 });
  });

  it('during uploads of scripts that never finish loading', async () => {
    await using sandbox = await startNarrow();
    const hostile = { ended: 0 };
    for (let i = 0; i < PARALLEL; i++) void sandbox.compile('attacker', 'for (;;);').then(() => hostile.ended++);
    await honestRuns(sandbox);
    expect(hostile.ended).toBe(0);
  });
});

describe('the standby', () => {
  /** A sandbox in which no run ever moves to the quarantine group. */
  const startUnmoved = (options: Partial<SandboxOptions> = {}) =>
    startSandbox({ runners: 1, timeoutMs: ENDLESS_MS, limits: { waitMs: ENDLESS_MS, slowMs: ENDLESS_MS }, ...options });

  it.each([
    ['JavaScript', LOOP],
    ['native code', NATIVE_LOOP],
  ])('executes runs of quick tenants while endless ones in %s hold the other runner', async (_, source) => {
    await using sandbox = await startUnmoved();
    await run(sandbox, 'honest', BENIGN);
    const hostile = attack(sandbox, attackers(8), source);
    expect(new Set((await honestRuns(sandbox)).map(({ result }) => result))).toEqual(new Set(['ok']));
    expect(hostile.ended).toBe(0);
    expect(groupOf(sandbox, 'shared')).toMatchObject({ executing: 1, waiting: 8 * PARALLEL - 1 });
  });

  it('executes one run of a tenant at a time', async () => {
    await using sandbox = await startUnmoved();
    await run(sandbox, 'attacker', BENIGN);
    await run(sandbox, 'honest', BENIGN);
    const hostile = attack(sandbox, ['attacker'], LOOP);
    expect(new Set((await honestRuns(sandbox)).map(({ result }) => result))).toEqual(new Set(['ok']));
    expect(hostile.ended).toBe(0);
  });

  it('executes runs of quick tenants while the other runner has no place for a run that waits for a fetch', async () => {
    await using sandbox = await startUnmoved({ fetch: () => new Promise(() => {}) });
    await run(sandbox, 'honest', BENIGN);
    const hostile = attack(
      sandbox,
      attackers(8),
      "const getCustomJwtClaims = () => fetch('https://allowed.example/');",
    );
    expect(new Set((await honestRuns(sandbox)).map(({ result }) => result))).toEqual(new Set(['ok']));
    expect(hostile.ended).toBe(0);
  });
});

describe('waiting runs', () => {
  it('of a tenant that used little time do not wait for each of those that used much', async () => {
    await using sandbox = await startSandbox({
      runners: 1,
      timeoutMs: 5_000,
      limits: { waitMs: ENDLESS_MS, slowMs: ENDLESS_MS },
    });
    const busy = (ms: number) =>
      `const getCustomJwtClaims = () => { for (const end = Date.now() + ${ms}; Date.now() < end; ); return {}; };`;
    const [long, short] = [busy(60), busy(5)];
    const tenants = Array.from({ length: 6 }, (_, index) => `long ${index}`);
    for (const tenantId of ['short', ...tenants]) await run(sandbox, tenantId, BENIGN);
    let longRuns = 0;
    const all = tenants.flatMap((id) => Array.from({ length: 6 }, () => run(sandbox, id, long).then(() => longRuns++)));
    for (let i = 0; i < 6; i++) await run(sandbox, 'short', short);
    // About one for each of its own. If tenants took turns it would have been all 36.
    expect(longRuns).toBeLessThan(18);
    await Promise.all(all);
  });

  it('leave the shared queue when their tenant is quarantined', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 2_000, limits: { waitMs: ENDLESS_MS } });
    const short = { tenantId: 'attacker', source: LOOP, input: INPUT, timeoutMs: 100 };
    expect(await sandbox.run(short)).toMatchObject({ result: 'timeout' });
    const second = sandbox.run(short); // The second timeout puts the tenant in quarantine.
    const waiting = Array.from({ length: 4 }, () => run(sandbox, 'attacker', LOOP));
    expect(groupOf(sandbox, 'shared')).toMatchObject({ waiting: 4 });
    await second;
    await expect.poll(() => groupOf(sandbox, 'quarantine')).toMatchObject({ executing: 1 });
    expect(groupOf(sandbox, 'shared')).toMatchObject({ waiting: 0 });
    await Promise.all(waiting);
  });

  it('of a known tenant do not wait for those of many new tenants', async () => {
    const limits = { waitMs: ENDLESS_MS, helpMs: ENDLESS_MS };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000, limits });
    await run(sandbox, 'known', BENIGN);
    const order: string[] = [];
    const of = (tenantId: string, source: string) => run(sandbox, tenantId, source).then(() => order.push(tenantId));
    const busy =
      'const getCustomJwtClaims = () => { for (const end = Date.now() + 20; Date.now() < end; ); return {}; };';
    await Promise.all([...Array.from({ length: 10 }, (_, i) => of(`unknown ${i}`, busy)), of('known', BENIGN)]);
    // After the executing run and at most one other.
    expect(order.indexOf('known')).toBeLessThan(3);
  });

  it('stay in the shared group after a slow run while no other tenant waits', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    const slow =
      'const getCustomJwtClaims = () => { for (const end = Date.now() + 200; Date.now() < end; ); return {}; };';
    const outcomes = await Promise.all([run(sandbox, 'tenant', slow), run(sandbox, 'tenant', BENIGN)]);
    expect(outcomes.map(({ result }) => result)).toEqual(['ok', 'ok']);
    expect(groupOf(sandbox, 'quarantine')?.turns ?? 0).toBe(0);
  });

  it('of a tenant with many leave room in a full queue for a tenant with none', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000, limits: { waiting: 4 } });
    const slow =
      'const getCustomJwtClaims = () => { for (const end = Date.now() + 50; Date.now() < end; ); return {}; };';
    const greedy = Array.from({ length: 5 }, () => run(sandbox, 'greedy', slow));
    const honest = run(sandbox, 'honest', BENIGN);
    expect((await honest).result).toBe('ok');
    const results = (await Promise.all(greedy)).map(({ result }) => result);
    expect(results).toEqual(['ok', 'ok', 'ok', 'ok', 'overloaded']);
  });
});
