import { constants, createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { composePrelude } from '../../sandbox/prelude.mjs';
import { LIMITS } from '../../src/script-runners/limits.ts';
import type { RunOutcome, Sandbox } from '../../src/script-runners/sandbox.ts';
import { startSandbox } from './support.ts';

/** Scripts that return a random `value`, by where and how they create it. */
const USES: Record<string, string> = {
  'at the top level': 'const value = crypto.randomUUID(); const getCustomJwtClaims = () => ({ value });',
  'in the function': 'const getCustomJwtClaims = () => ({ value: crypto.randomUUID() });',
  'by an alias of the top level': 'const c = crypto; const getCustomJwtClaims = () => ({ value: c.randomUUID() });',
  'by a method taken at the top level':
    'const { randomUUID } = crypto; const getCustomJwtClaims = () => ({ value: randomUUID() });',
  'in a default argument of the top level':
    'const make = (value = crypto.randomUUID()) => value; const value = make(); const getCustomJwtClaims = () => ({ value });',
  'in a default argument of the function':
    'const getCustomJwtClaims = (_, value = crypto.randomUUID()) => ({ value });',
  'after a wait':
    'const c = crypto; const getCustomJwtClaims = async () => { await null; return { value: c.randomUUID() }; };',
  'as random bytes': `const bytes = [...crypto.getRandomValues(new Uint32Array(4))]; const getCustomJwtClaims = () => ({ value: bytes.join('-') });`,
  'by Math.random':
    "const first = Math.random(); const getCustomJwtClaims = () => ({ value: [first, Math.random()].join(' ') });",
};
const RUNS = 30;
const TENANTS = ['a', 'b', 'c'];

const run = (sandbox: Sandbox, tenantId: string, source: string) => sandbox.run({ tenantId, source, input: '{}' });
const valueIn = (outcome: RunOutcome) => {
  expect(outcome).toMatchObject({ result: 'ok', output: { value: expect.any(String) } });
  return (outcome as Extract<RunOutcome, { result: 'ok' }>).output.value as string;
};
const expectDistinct = (values: string[]) => expect(new Set(values).size).toBe(values.length);

describe('random values', () => {
  it.each(Object.entries(USES))('do not repeat from run to run or from tenant to tenant: %s', async (_, source) => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000, limits: { runsPerIsolate: 7 } });
    const values: string[] = [];
    const spares = new Set<boolean>();
    for (const tenantId of TENANTS) {
      // First one by one, then all at once, to use contexts prepared in advance, contexts created on demand, and shared turns.
      for (let i = 0; i < RUNS; i++) {
        const outcome = await run(sandbox, tenantId, source);
        spares.add(outcome.spareUsed);
        values.push(valueIn(outcome));
      }
      const together = await Promise.all(Array.from({ length: RUNS }, () => run(sandbox, tenantId, source)));
      values.push(...together.map(valueIn));
    }
    expect(spares).toEqual(new Set([true, false]));
    expectDistinct(values);
  });

  it('do not repeat between different scripts', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    const sources = Array.from({ length: 12 }, (_, i) => `${USES['at the top level']} // ${i}`);
    expectDistinct((await Promise.all(sources.map((source) => run(sandbox, 'tenant', source)))).map(valueIn));
  });

  it('do not repeat in runs that wait for a fetch', async () => {
    const arrivals = Promise.withResolvers<void>();
    let waiting = 0;
    const fetch = async () => {
      if (++waiting === 5) arrivals.resolve();
      await arrivals.promise;
      return { ok: true, status: 200, statusText: 'OK', url: '', headers: {}, body: '' } as const;
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000, fetch });
    const source = `const before = crypto.randomUUID(); const c = crypto;
      const getCustomJwtClaims = async () => { await fetch('https://a.example/'); return { value: before + ' ' + c.randomUUID() }; };`;
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => run(sandbox, 'tenant', source)));
    expectDistinct(outcomes.flatMap((outcome) => valueIn(outcome).split(' ')));
  });

  it('do not repeat when a script is checked at upload', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    const source = 'throw new Error(crypto.randomUUID());';
    const messages: string[] = [];
    for (const tenantId of [...TENANTS, ...TENANTS]) {
      const outcome = await sandbox.compile(tenantId, source);
      messages.push(outcome.ok ? '' : (/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(outcome.message)?.[0] ?? ''));
    }
    expectDistinct(messages);
  });

  it('are refused if the generator has no seed', () => {
    const realm = createContext(constants.DONT_CONTEXTIFY);
    const entry = runInContext(composePrelude({ limits: LIMITS, fetch: false }), realm);
    expect(() => runInContext('crypto.randomUUID()', realm)).toThrow('no seed');
    entry('seed', '');
    expect(() => runInContext('crypto.randomUUID()', realm)).toThrow('no seed');
    entry('seed', '5'.repeat(64));
    expect(runInContext('crypto.randomUUID()', realm)).toMatch(/^[\da-f]{8}-/);
  });
});

it.each(['new Array(4)', 'new Float64Array(4)', 'new DataView(new ArrayBuffer(4))', 'new ArrayBuffer(4)'])(
  'refuses to fill %s with random values',
  async (array) => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
    const source = `const getCustomJwtClaims = () => ({ value: crypto.getRandomValues(${array}) });`;
    expect(await run(sandbox, 'tenant', source)).toMatchObject({
      result: 'thrown',
      message: expect.stringContaining('typed array of integers'),
    });
  },
);
