import { describe, expect, it } from 'vitest';
import { FetchRefusal, type RunOutcome, type Sandbox, type SandboxFetch } from '../../src/script-runners/sandbox.ts';
import { BENIGN, INPUT, startSandbox } from './support.ts';

const ECHO: SandboxFetch = async (tenantId, request) => ({
  ok: true,
  status: 201,
  statusText: 'Created',
  url: request.url,
  headers: { 'X-Tenant': tenantId },
  body: JSON.stringify(request),
});

const scriptOf = (body: string) => `const getCustomJwtClaims = async () => { ${body} };`;
const run = (sandbox: Sandbox, body: string, tenantId = 'tenant'): Promise<RunOutcome> =>
  sandbox.run({ tenantId, source: scriptOf(body), input: INPUT });

describe('fetch', () => {
  it('does not exist unless the operator allowed it', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000 });
    expect(await run(sandbox, 'return { type: typeof fetch };')).toMatchObject({ output: { type: 'undefined' } });
  });

  it('sends a request and returns the response', async () => {
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000, fetch: ECHO });
    const body = `const r = await fetch('https://a.example/x', { method: 'post', headers: { 'X-A': '1' }, body: 'text' });
      return { status: r.status, ok: r.ok, tenant: r.headers.get('x-tenant'), sent: await r.json() };`;
    expect(await run(sandbox, body)).toMatchObject({
      result: 'ok',
      output: {
        status: 201,
        ok: true,
        tenant: 'tenant',
        sent: { url: 'https://a.example/x', method: 'POST', headers: { 'x-a': '1' }, body: 'text' },
      },
    });
  });

  it('fails when its isolate runs out of memory, and the runner survives', async () => {
    let asked = Promise.withResolvers<void>();
    const never: SandboxFetch = (_tenantId, _request, { signal }) => {
      asked.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new FetchRefusal('over'))));
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 600, fetch: never });
    const body = `const kept = []; for (let i = 0; i < 24; i++) kept.push(Array(16384).fill(i + .5));
      await fetch('https://a.example/'); return { length: kept.length };`;
    const runs: Promise<RunOutcome>[] = [];
    for (let i = 0; i < 5; i++) {
      asked = Promise.withResolvers();
      const next = run(sandbox, body); // 3 MB each, of 16.
      runs.push(next);
      await Promise.race([asked.promise, next]);
    }
    for (const { result } of await Promise.all(runs)) expect(['thrown', 'timeout', 'memory']).toContain(result);
    expect(sandbox.status().groups[0]).toMatchObject({ deaths: 0 });
  });

  it('continues with the first of several responses that arrives', async () => {
    const order: string[] = [];
    const fetch: SandboxFetch = async (tenantId, request, limits) => {
      if (request.url.endsWith('slow')) await expect.poll(() => order.length).toBe(1);
      order.push(request.url);
      return ECHO(tenantId, request, limits);
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 3_000, fetch });
    const body = `const all = await Promise.all(['slow', 'fast'].map((n) => fetch('https://a/' + n))); return { urls: all.map((r) => r.url) };`;
    expect(await run(sandbox, body)).toMatchObject({ output: { urls: ['https://a/slow', 'https://a/fast'] } });
    expect(order).toEqual(['https://a/fast', 'https://a/slow']);
  });

  it.each([
    ['a sixth call', 'for (let i = 0; i < 6; i++) await fetch("https://a/");', 'A run may call fetch at most 5 times.'],
    ['another method', 'await fetch("https://a/", { method: "trace" });', 'The method is not allowed.'],
    [
      'a body that is not text',
      'await fetch("https://a/", { body: new Uint8Array(1) });',
      'The body of a fetch must be a string.',
    ],
    ['a host that is not allowed', 'await fetch("https://forbidden/");', 'The host forbidden is not allowed.'],
    ['a response that is too large', 'await fetch("https://large/");', 'The response is larger than 1048576 bytes.'],
    ['a failed request, without its details', 'await fetch("https://broken/");', 'The request failed.'],
  ])('fails for %s', async (_, body, message) => {
    const fetch: SandboxFetch = async (tenantId, request, limits) => {
      if (request.url === 'https://forbidden/') throw new FetchRefusal('The host forbidden is not allowed.');
      if (request.url === 'https://broken/') throw new Error('connect ECONNREFUSED 10.0.0.1:80');
      const answer = await ECHO(tenantId, request, limits);
      return request.url === 'https://large/' ? { ...answer, body: 'x'.repeat(limits.responseBytes + 1) } : answer;
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 2_000, fetch });
    expect(await run(sandbox, `${body} return {};`)).toMatchObject({
      result: 'thrown',
      message: expect.stringContaining(message),
    });
  });

  it('is aborted when the run times out', async () => {
    let signal: AbortSignal | undefined;
    const fetch: SandboxFetch = (_tenantId, _request, limits) => {
      signal = limits.signal;
      return new Promise(() => {});
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 1_000, fetch });
    expect(await run(sandbox, 'await fetch("https://a/"); return {};')).toMatchObject({ result: 'timeout' });
    expect(signal?.aborted).toBe(true);
  });

  it('lets the runner execute other runs while it waits', async () => {
    const gate = Promise.withResolvers<void>();
    const fetch: SandboxFetch = async (tenantId, request, limits) => {
      await gate.promise;
      return ECHO(tenantId, request, limits);
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 60_000, fetch });
    const waiting = Array.from({ length: 5 }, (_, i) =>
      run(sandbox, 'await fetch("https://a/"); return {};', `waiting${i}`),
    );
    expect(await sandbox.run({ tenantId: 'other', source: BENIGN, input: INPUT })).toMatchObject({ result: 'ok' });
    gate.resolve();
    for (const { result } of await Promise.all(waiting)) expect(result).toBe('ok');
  });

  it('fails the waiting runs when their runner is killed, and does not run them again', async () => {
    let calls = 0;
    const fetch: SandboxFetch = () => {
      calls++;
      return new Promise(() => {});
    };
    await using sandbox = await startSandbox({ runners: 1, timeoutMs: 5_000, fetch });
    const waiting = run(sandbox, 'await fetch("https://a/"); return {};', 'waiting');
    await expect.poll(() => calls).toBe(1);
    const source = scriptOf('Array.prototype.indexOf.call({ length: 2 ** 53 }, 1);');
    expect(await sandbox.run({ tenantId: 'killer', source, input: INPUT, timeoutMs: 100 })).toMatchObject({
      result: 'killed',
    });
    expect(await waiting).toMatchObject({ result: 'killed', message: expect.stringContaining('Another run') });
    expect(calls).toBe(1);
    expect(sandbox.status().quarantine.tenants).toBe(0);
  });
});
