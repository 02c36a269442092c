import { Sandbox } from '../../../src/script-runners/sandbox.ts';
import { INPUT, SCRIPT } from './sample.ts';

const LOOPS = {
  javascript: 'const getCustomJwtClaims = () => { for (;;); };',
  native: 'const getCustomJwtClaims = () => ({ i: Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) });',
};

const LOOPS_PER_TENANT = 8;
const HONEST_PER_SECOND = 20;
const SECONDS = 6;

/**
 * Measures an honest tenant on a single runner beside endless loops in JavaScript and in native code, from one hostile tenant and from
 * eight that start at once. No hostile tenant is known to the sandbox before. A time is counted from when the run was due.
 */
export async function besideLoops() {
  const rounds: { hostile: number; loop: string; p50Ms: number; p95Ms: number; p99Ms: number; failed: number }[] = [];
  for (const hostile of [1, 8]) {
    for (const [loop, source] of Object.entries(LOOPS))
      rounds.push({ hostile, loop, ...(await beside(hostile, source)) });
  }
  const refused = (tenants: number) =>
    rounds.filter(({ hostile }) => hostile === tenants).reduce((sum, { failed }) => sum + failed, 0);
  for (const round of rounds) console.log(JSON.stringify(round));
  return {
    honestP95BesideLoopsMs: Math.max(...rounds.map(({ p95Ms }) => p95Ms)),
    honestRefusedBesideLoops: { oneTenant: refused(1), eightTenants: refused(8) },
    besideLoops: rounds,
  };
}

async function beside(tenants: number, source: string) {
  await using sandbox = await Sandbox.start({
    runners: 1,
    timeoutMs: 1_000,
    memoryMb: 16,
    logger: { info: () => {}, warn: () => {}, error: console.error },
  });
  const honestRun = () => sandbox.run({ tenantId: 'honest', source: SCRIPT, input: INPUT });
  await honestRun();

  let isOver = false;
  const loop = async (tenantId: string, name: string) => {
    // A new script text each time, because a script is refused after ten kills and an attacker would know that.
    for (let i = 0; !isOver; i++) {
      const { result } = await sandbox.run({ tenantId, source: `${source} // ${name} ${i}`, input: INPUT });
      if (result === 'overloaded') await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const loops = Array.from({ length: tenants * LOOPS_PER_TENANT }, (_, i) => loop(`hostile ${i % tenants}`, `${i}`));

  const times: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  const honest = Array.from({ length: SECONDS * HONEST_PER_SECOND }, async (_, i) => {
    const dueMs = (i * 1_000) / HONEST_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, dueMs));
    const { result } = await honestRun();
    times.push(performance.now() - startedAt - dueMs);
    if (result !== 'ok') failed++;
  });
  await Promise.all(honest);
  isOver = true;
  await sandbox.close();
  await Promise.all(loops);
  times.sort((a, b) => a - b);
  const quantile = (share: number) => Math.round((times[Math.floor(times.length * share)] as number) * 10) / 10;
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95), p99Ms: quantile(0.99), failed };
}
