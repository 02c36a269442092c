import { Sandbox } from '../../../src/script-runners/sandbox.ts';
import { work } from './measure.ts';
import { INPUT, SCRIPT } from './sample.ts';

const ATTACKS = [
  'const getCustomJwtClaims = () => { for (;;); };',
  'const getCustomJwtClaims = () => ({ i: Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) });',
  "const getCustomJwtClaims = () => ({ n: 'x'.repeat(2 ** 28).split('').length });",
  'const getCustomJwtClaims = () => { const all = []; for (;;) all.push(new Array(1000).fill(1)); };',
];

/**
 * Returns a tenant's 95th percentile in milliseconds, alone and while another tenant loops, allocates and crashes as
 * fast as possible.
 */
export async function neighbourP95(): Promise<{ quietMs: number; attackedMs: number; ratio: number; failed: number }> {
  await using sandbox = await Sandbox.start({
    runners: 1,
    timeoutMs: 1_000,
    memoryMb: 16,
    logger: { info: () => {}, warn: () => {}, error: console.error },
  });
  let failed = 0;
  const p95 = async (ms: number) => {
    const times: number[] = [];
    for (const end = performance.now() + ms; performance.now() < end; ) {
      work(1);
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      const { result } = await sandbox.run({ tenantId: 'neighbour', source: SCRIPT, input: INPUT });
      times.push(performance.now() - startedAt);
      if (result !== 'ok') failed++;
    }
    return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] as number;
  };

  await p95(300);
  const quietMs = await p95(3_000);
  let isOver = false;
  const attack = async (source: string) => {
    // A new script text each time, because a script is refused after ten kills and an attacker would know that.
    for (let i = 0; !isOver; i++)
      await sandbox.run({ tenantId: 'attacker', source: `${source} // ${i}`, input: INPUT });
  };
  const attacks = ATTACKS.map(attack);
  const attackedMs = await p95(10_000);
  isOver = true;
  await Promise.all(attacks);
  return { quietMs, attackedMs, ratio: attackedMs / quietMs, failed };
}
