import { describe, expect, it } from 'vitest';
import type { SandboxFetch } from '../../src/script-runners/sandbox.ts';
import { INPUT, startSandbox } from './support.ts';

const MINE = 'https://forger.example/';
const scriptOf = (body: string) => `const getCustomJwtClaims = async () => { ${body} };`;
const asking = (patch: string) => scriptOf(`${patch}; const r = await fetch('${MINE}'); return { status: r.status };`);

/** Scripts with the allowed results of their own run. A patched built-in may change that run and nothing else. */
const FORGERIES: [name: string, source: string, result: string[]][] = [
  ['toJSON of arrays', asking(`Array.prototype.toJSON = () => 'forged'`), ['ok']],
  ['toJSON of arrays that returns undefined', asking('Array.prototype.toJSON = () => undefined'), ['ok']],
  ['toJSON of arrays that does not end', asking('Array.prototype.toJSON = () => { for (;;); }'), ['ok']],
  ['toJSON of objects', asking('Object.prototype.toJSON = () => [[1]]'), ['invalid-result']],
  ['push', asking('Array.prototype.push = () => 0'), ['ok']],
  ['join and map', asking('Array.prototype.join = Array.prototype.map = () => { for (;;); }'), ['ok']],
  ['the size of a Map', asking(`Object.defineProperty(Map.prototype, 'size', { get() { for (;;); } })`), ['ok']],
  ['the methods of a Map', asking('Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => ({})'), ['ok']],
  ['Number and String', asking('Number = String = Boolean = () => { for (;;); }'), ['ok']],
  [
    'the methods of strings',
    asking('String.prototype.toUpperCase = String.prototype.toLowerCase = () => ({})'),
    ['ok'],
  ],
  ['JSON', asking(`JSON.stringify = () => 'forged'; JSON.parse = () => null`), ['ok']],
  ['Promise', asking('Promise.prototype.then = () => 0; Promise = function () {}'), ['ok', 'thrown', 'invalid-result']],
  [
    'the class of headers',
    scriptOf(`const r = await fetch('${MINE}');
      for (const name of Object.getOwnPropertyNames(r.headers.constructor)) try { r.headers.constructor[name] = () => 'forged'; } catch {}
      return { status: (await fetch('${MINE}')).status };`),
    ['ok'],
  ],
  [
    'more calls than allowed, one inside another',
    scriptOf(`for (let i = 0; i < 4; i++) await fetch('${MINE}');
      await fetch({ toString() { fetch('${MINE}').catch(() => {}); return '${MINE}'; } }); return {};`),
    ['thrown'],
  ],
  [
    'a request larger than a frame',
    scriptOf(`await fetch('${MINE}', { body: 'x'.repeat(9e6) }); return {};`),
    ['thrown'],
  ],
  [
    'requests that together are larger than a frame',
    scriptOf(
      `await Promise.all([1, 2, 3, 4, 5].map(() => fetch('${MINE}', { body: '\\u0000'.repeat(3e5) }))); return {};`,
    ),
    ['thrown'],
  ],
  [
    'requests with more bytes than characters',
    scriptOf(
      `await Promise.all([1, 2, 3, 4, 5].map(() => fetch('${MINE}', { body: '\\u20ac'.repeat(7e5) }))); return {};`,
    ),
    ['too-large', 'memory'],
  ],
  ['endless headers', asking(`Object.entries = () => [['a', 'b'.repeat(9e6)]]`), ['thrown']],
  [
    'a console line larger than a frame',
    scriptOf(`console.log({ toJSON() { console.log('x'.repeat(2e4)); return '\\u0000'.repeat(2e6); } }); return {};`),
    ['ok'],
  ],
  [
    'then of the answer',
    asking(`Object.defineProperty(Object.prototype, 'then', { get() { for (;;); } })`),
    ['timeout'],
  ],
];

describe('a script that forges its output', () => {
  it.each(FORGERIES)('does not affect the runs of others: %s', async (_, source, results) => {
    const gate = Promise.withResolvers<void>();
    let neighbourWaits = false;
    const fetch: SandboxFetch = async (_tenantId, { url }) => {
      if (url !== MINE) {
        neighbourWaits = true;
        await gate.promise;
      }
      return { ok: true, status: 200, statusText: 'OK', url, headers: {}, body: '' };
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 30_000, fetch, limits: { slowMs: 60_000 } });
    const patient = scriptOf(`return { status: (await fetch('https://neighbour.example/')).status };`);
    const neighbour = sandbox.run({ tenantId: 'neighbour', source: patient, input: INPUT });
    await expect.poll(() => neighbourWaits).toBe(true);

    const forger = await sandbox.run({ tenantId: 'forger', source, input: INPUT, timeoutMs: 2_000 });
    expect(results, JSON.stringify(forger)).toContain(forger.result);
    gate.resolve();
    expect(await neighbour).toMatchObject({ result: 'ok', output: { status: 200 } });
    expect(sandbox.status().groups.every(({ deaths }) => deaths === 0)).toBe(true);
  });
});
