import { Sandbox } from '../../src/script-runners/sandbox.ts';
import type { Bench } from './run.ts';
import { besideLoops } from './sandbox/loops.ts';
import { latenciesUs, latencyUs, median, rate } from './sandbox/measure.ts';
import { neighbourP95 } from './sandbox/neighbour.ts';
import { nodeVm, type PackagedPeers, rawIsolatedVm } from './sandbox/peers.ts';
import { INPUT, SCRIPT, verify } from './sandbox/sample.ts';
import { loadPeers } from './support/load-peers.ts';

const ROUNDS = 15;
/** Milliseconds of other work between two calls whose latency is measured, like the rest of a request. */
const PAUSE_MS = 1.5;
const CALLS = 60;
const RATE_MS = 300;
const CALLERS = 16;
const STUCK = 'const getCustomJwtClaims = () => ({ i: Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) });';

const logger = { info: () => {}, warn: () => {}, error: console.error };
const start = (runners: number, harden = true) =>
  Sandbox.start({ runners, timeoutMs: 1_000, memoryMb: 16, logger, harden });

/** Runs the sample once and checks its result. */
const caller =
  (sandbox: Sandbox, tenants = 1) =>
  async () => {
    const outcome = await sandbox.run({
      tenantId: `tenant${Math.floor(Math.random() * tenants)}`,
      source: SCRIPT,
      input: INPUT,
    });
    if (outcome.result !== 'ok') throw new Error(outcome.message);
    return outcome;
  };

/** Compares the sandbox with its peers, interleaved in every round. Every ratio is the median of the rounds' ratios. */
export const bench: Bench = async () => {
  const { quickjs, workerd } = await loadPeers<PackagedPeers>('sandbox');
  const [one, two] = [await start(1), await start(2)];
  // Only the latency of these two is measured, so both start with the same history.
  const [hardened, plain] = [await start(1), await start(1, false)];
  const [vm, quick, worker, raw] = [nodeVm(), await quickjs(), await workerd(), await rawIsolatedVm()];
  for (const peer of [vm, quick, worker]) verify(await peer.call());
  verify((await caller(one)()).output);
  verify(JSON.parse((await raw.rate(300)).output));

  const rounds: Record<
    | 'warmUs'
    | 'nodeVmUs'
    | 'plainUs'
    | 'quickjsUs'
    | 'workerdUs'
    | 'spareShare'
    | 'oneRunnerPerSecond'
    | 'rawFreshPerSecond'
    | 'nodeVmPerSecond'
    | 'twoRunnersPerSecond'
    | 'oneRunnerAgainPerSecond',
    number
  >[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    let spares = 0;
    const warm = async () => {
      spares += Number((await caller(hardened)()).spareUsed);
    };
    const [warmUs = 0, plainUs = 0] = await latenciesUs([warm, caller(plain)], CALLS, PAUSE_MS);
    const round = {
      warmUs,
      plainUs,
      nodeVmUs: await latencyUs(vm.call, CALLS, PAUSE_MS),
      quickjsUs: await latencyUs(quick.call, CALLS, PAUSE_MS),
      workerdUs: await latencyUs(worker.call, CALLS, PAUSE_MS),
      spareShare: spares / CALLS,
      oneRunnerPerSecond: await rate(caller(one), CALLERS, RATE_MS),
      rawFreshPerSecond: (await raw.rate(RATE_MS)).rate,
      nodeVmPerSecond: await rate(vm.call, 1, RATE_MS),
      twoRunnersPerSecond: await rate(caller(two), CALLERS, RATE_MS),
      oneRunnerAgainPerSecond: await rate(caller(one), CALLERS, RATE_MS),
    };
    rounds.push(round);
    console.log(
      Object.entries(round)
        .map(([name, value]) => `${name} ${Math.round(value * 100) / 100}`)
        .join('  '),
    );
  }

  const ratio = (of: (round: (typeof rounds)[number]) => number) => Math.round(median(rounds.map(of)) * 1000) / 1000;
  const ratios = {
    warmVsNodeVmFresh: ratio(({ warmUs, nodeVmUs }) => warmUs / nodeVmUs),
    saturatedVsRawFreshContext: ratio((r) => r.oneRunnerPerSecond / r.rawFreshPerSecond),
    saturatedVsNodeVmFresh: ratio((r) => r.oneRunnerPerSecond / r.nodeVmPerSecond),
    twoRunnersVsOne: ratio((r) => r.twoRunnersPerSecond / r.oneRunnerAgainPerSecond),
    hardenedVsPlain: ratio(({ warmUs, plainUs }) => warmUs / plainUs),
    warmVsQuickjsFresh: ratio(({ warmUs, quickjsUs }) => warmUs / quickjsUs),
    warmVsWorkerd: ratio(({ warmUs, workerdUs }) => warmUs / workerdUs),
  };
  const sparePercent = Math.round(median(rounds.map(({ spareShare }) => spareShare)) * 100);
  const idleTenantMb = await idleTenant();
  const killRecoveryMs = await killRecovery();
  const neighbour = await neighbourP95();
  const layers = [...one.layers];
  for (const each of [one, two, hardened, plain, vm, quick, worker, raw]) await each.close();
  const loops = await besideLoops();
  return { ratios, killRecoveryMs, idleTenantMb, neighbour, ...loops, sparePercent, layers, rounds };
};

/**
 * Returns the median milliseconds of the next run after a runner was killed, for another tenant that was waiting for
 * it.
 */
async function killRecovery(): Promise<number> {
  const sandbox = await start(1);
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    await caller(sandbox)();
    // A new tenant each time, so that the shared runner is killed and not a quarantined one.
    await sandbox.run({ tenantId: `killer${i}`, source: STUCK, input: INPUT, timeoutMs: 50 });
    const startedAt = performance.now();
    await caller(sandbox)();
    times.push(performance.now() - startedAt);
    while (sandbox.status().groups.some(({ name, ready, size }) => name === 'shared' && ready <= size))
      await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await sandbox.close();
  return Math.round(median(times) * 10) / 10;
}

/** Returns the resident MB that each of 40 tenants adds to a runner, with its script loaded and a spare context. */
async function idleTenant(): Promise<number> {
  const sandbox = await start(1);
  const resident = () => sandbox.status().groups[0]?.runners[0]?.residentBytes ?? 0;
  const load = (tenantId: string) => sandbox.run({ tenantId, source: SCRIPT, input: INPUT });
  await load('first');
  const before = resident();
  for (let i = 0; i < 40; i++) await load(`tenant${i}`);
  const perTenant = (resident() - before) / 40 / 1024 / 1024;
  await sandbox.close();
  return Math.round(perTenant * 100) / 100;
}
