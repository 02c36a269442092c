import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/script-runners/sandbox.ts';
import { startSandbox } from './support.ts';

/** URLs whose parts must be equal to those that Node parses. Host names with non-ASCII letters are the only known difference. */
const ADDRESSES: [url: string, base?: string][] = [
  ..."http://example.com|HTTP://User:Pa%20ss@EXAMPLE.com:80/a/../b/./c?x=1#y|https://a.b:8443/x y?q=a b&c='d'#f g|foo:bar".split(
    '|',
  ),
  ...'mailto:a@b.c?subject=hi|http://1.2.3|http://0x7f.1/|http://256.1.1.1/|http://[::1]:3000/|http://[1:0:0:2:0:0:0:3]/'.split(
    '|',
  ),
  ...'http://[::ffff:1.2.3.4]/|file:///a/b/../c|file://localhost/x|data:text/plain,hello world|nourl||http://|http://a b/'.split(
    '|',
  ),
  ...'http://a:99999/|  http://h/\n x|http://h/%2e%2E/a|urn:ietf:params:oauth:grant-type:token-exchange|custom:/p/../q'.split(
    '|',
  ),
  ...'http://u@h|http://:p@h|http://h?|http://h#|http://h/?{}^`"<>|http://ex%61mple.com|http://h/é?é#é|http://a@b@c/|http://[::1'.split(
    '|',
  ),
].map((url) => [url]);
const RELATIVE: [url: string, base?: string][] = [
  '/a/b',
  'b',
  '../b',
  '?q',
  '#z',
  '//o/p',
  '\\\\o\\p',
  'http:foo',
  '',
].map((url) => [url, 'http://h/c/d?e#f']);
const PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;
const QUERIES = ['a=1&b=2&a=3', '?x=%20y+z', 'a=%E4%BD%A0&b=%ff&c', '&&=&a', '%zz=1', "a='()~!*"];
const BYTES = [
  [],
  [0x41],
  [0xe2, 0x82, 0xac],
  [0xff],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xef, 0xbb, 0xbf, 0x61],
  [0xc0, 0xaf],
];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000 });
});
afterAll(() => sandbox.close());

/** Returns what a function body returns inside the sandbox, with `value` from its input. */
async function inside(value: unknown, body: string): Promise<unknown> {
  const source = `const getCustomJwtClaims = async ({ value }) => ({ answer: await (async () => { ${body} })() });`;
  const outcome = await sandbox.run({ tenantId: 'tenant', source, input: JSON.stringify({ value }) });
  if (outcome.result !== 'ok') throw new Error(outcome.message);
  return outcome.output.answer;
}

describe('web globals behave as in Node', () => {
  it('URL', async () => {
    const partsOf = ([url, base]: [string, string?]) =>
      URL.canParse(url, base) ? PARTS.map((part) => new URL(url, base)[part]) : null;
    const cases = [...ADDRESSES, ...RELATIVE];
    const body = `return value.cases.map(([url, base]) => URL.canParse(url, base) ? value.parts.map((part) => new URL(url, base)[part]) : null);`;
    expect(await inside({ cases, parts: PARTS }, body)).toEqual(cases.map(partsOf));
  });

  it('setters of URL', async () => {
    const changes = [
      ['hash', '#x y'],
      ['search', 'a=b c'],
      ['search', ''],
      ['pathname', '/x/../y'],
      ['port', '443'],
      ['host', 'n.example:9'],
      ['hostname', 'm'],
      ['protocol', 'http'],
      ['username', 'a:b'],
    ] as const;
    const address = 'https://u:p@h.example:8443/a/b?q=1#f';
    const expected = changes.map(([part, text]) => Object.assign(new URL(address), { [part]: text }).href);
    const body =
      'return value.changes.map(([part, text]) => Object.assign(new URL(value.address), { [part]: text }).href);';
    expect(await inside({ changes, address }, body)).toEqual(expected);
    expect(await inside(address, 'const u = new URL(value); u.searchParams.append("b", "2 3"); return u.href;')).toBe(
      'https://u:p@h.example:8443/a/b?q=1&b=2+3#f',
    );
  });

  it('URLSearchParams', async () => {
    const body =
      'return value.map((text) => { const p = new URLSearchParams(text); return [p.toString(), [...p], p.get("a"), p.getAll("a")]; });';
    const expected = QUERIES.map((text) => {
      const params = new URLSearchParams(text);
      return [`${params}`, [...params], params.get('a'), params.getAll('a')];
    });
    expect(await inside(QUERIES, body)).toEqual(expected);
  });

  it('TextDecoder and TextEncoder', async () => {
    const texts = BYTES.map((bytes) => new TextDecoder().decode(Uint8Array.from(bytes)));
    expect(
      await inside(BYTES, 'return value.map((bytes) => new TextDecoder().decode(Uint8Array.from(bytes)));'),
    ).toEqual(texts);
    const encoded = [...texts, 'é€😀'].map((text) => [...new TextEncoder().encode(text)]);
    expect(
      await inside([...texts, 'é€😀'], 'return value.map((text) => [...new TextEncoder().encode(text)]);'),
    ).toEqual(encoded);
  });

  it('atob and btoa', async () => {
    const texts = ['', 'a', 'ab', 'abc', 'abcd', '\u00ff\u0000'];
    expect(await inside(texts, 'return value.map(btoa);')).toEqual(texts.map(btoa));
    expect(await inside(texts.map(btoa), 'return value.map(atob);')).toEqual(texts);
  });

  it('structuredClone', async () => {
    const body = `const v = { d: new Date(5), m: new Map([[1, { x: 2 }]]), s: new Set([1]), u: new Uint8Array([1, 2]) }; v.self = v;
      const c = structuredClone(v);
      return [c !== v, c.self === c, c.d.getTime(), c.m.get(1).x, c.m.get(1) !== v.m.get(1), c.s.has(1), [...c.u]];`;
    expect(await inside(null, body)).toEqual([true, true, 5, 2, true, true, [1, 2]]);
  });

  it.each(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])('crypto.subtle: %s and its HMAC', async (name) => {
    const lengths = [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 300];
    const node = name.replace('-', '');
    const body = `const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, '0')).join('');
      return Promise.all(value.lengths.map(async (length) => {
        const data = new Uint8Array(length).fill(length);
        const key = await crypto.subtle.importKey('raw', new Uint8Array(length + 1).fill(7), { name: 'HMAC', hash: value.name }, false, ['sign', 'verify']);
        const mac = await crypto.subtle.sign('HMAC', key, data);
        return [hex(await crypto.subtle.digest(value.name, data)), hex(mac), await crypto.subtle.verify('HMAC', key, mac, data)];
      }));`;
    const expected = lengths.map((length) => {
      const data = Buffer.alloc(length, length);
      return [
        createHash(node).update(data).digest('hex'),
        createHmac(node, Buffer.alloc(length + 1, 7))
          .update(data)
          .digest('hex'),
        true,
      ];
    });
    expect(await inside({ lengths, name }, body)).toEqual(expected);
  });

  it('crypto.randomUUID and getRandomValues', async () => {
    const body = 'return [crypto.randomUUID(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(100))]];';
    const [first, second, bytes] = (await inside(null, body)) as [string, string, number[]];
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(second).not.toBe(first);
    expect(new Set(bytes).size).toBeGreaterThan(40);
    expect(await inside(null, body)).not.toEqual([first, second, bytes]);
  });
});

it('captures the console output with its levels', async () => {
  const source = `const getCustomJwtClaims = () => { console.log('a', 1, { b: [2] }); console.info(null); console.warn(new TypeError('w')); console.error(undefined, 3n, Symbol('s')); return {}; };`;
  const { console } = await sandbox.run({ tenantId: 'tenant', source, input: '{}' });
  expect(console).toEqual([
    { level: 'log', text: 'a 1 {"b":[2]}' },
    { level: 'info', text: 'null' },
    { level: 'warn', text: expect.stringMatching(/^TypeError: w \(line 1, column \d+\)$/) },
    { level: 'error', text: 'undefined 3 Symbol()' },
  ]);
});
