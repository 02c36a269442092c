import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Reply, Request } from '../../sandbox/protocol.ts';
import { fetchBroker } from '../../src/script-runners/fetch-broker.ts';
import { LIMITS } from '../../src/script-runners/limits.ts';
import { runOutcome } from '../../src/script-runners/outcome.ts';
import type { ProcessListener, RunnerProcess } from '../../src/script-runners/process/runner-process.ts';
import { Run } from '../../src/script-runners/run.ts';
import { RunnerGroup } from '../../src/script-runners/runner-group.ts';
import type { RunAnswer, SandboxFetch } from '../../src/script-runners/types.ts';
import { BENIGN, INPUT } from './support.ts';

const SCRIPT = { tenantId: 'tenant', source: BENIGN, key: 'key' };
const FETCH = JSON.stringify({ url: 'https://allowed.example/', method: 'GET' });
const NEVER: SandboxFetch = () => new Promise(() => {});
const newRun = () => new Run({ script: SCRIPT, input: INPUT, timeoutMs: 10_000, memoryMb: 16 });
const untilDispatched = () => new Promise((resolve) => setImmediate(resolve));

/** A runner process that does only what the test tells it to. */
class ScriptedProcess {
  readonly pid = 2 ** 30;
  readonly exit = { pid: this.pid, code: null, signal: 'SIGKILL', stderr: '' };
  readonly requests: Request[] = [];
  begun = 0;
  #listener: ProcessListener | undefined;

  listen(listener: ProcessListener) {
    this.#listener = listener;
  }
  send(requests: readonly Request[]) {
    this.requests.push(...requests);
  }
  lastBegun() {
    return this.begun;
  }
  async kill() {}
  exited() {
    this.#listener?.exited();
  }
  reply(reply: object) {
    this.#listener?.replied(reply as Reply);
  }
}

const done = (id: number) => ({ kind: 'done', id, wallMs: 1, cpuMs: 1, console: [], result: 'ok', output: '{}' });

/** A group with one runner at a time, which has no standby. */
async function openGroup({ runnerEnded = () => {}, parked = LIMITS.parked, fetch = NEVER }) {
  const processes: ScriptedProcess[] = [];
  const errors: unknown[] = [];
  const group = new RunnerGroup({
    name: 'group',
    size: 1,
    standby: 0,
    spawn: async () => {
      const process = new ScriptedProcess();
      processes.push(process);
      return process as unknown as RunnerProcess;
    },
    listener: { runnerKilled: () => {}, runnerEnded },
    limits: { ...LIMITS, parked },
    broker: fetchBroker(fetch, LIMITS),
    logger: { info: () => {}, warn: () => {}, error: (facts) => errors.push((facts as { err: unknown }).err) },
  });
  await group.open();
  return { group, processes, errors };
}

it('runs the runs of an ended runner on a new one even if a listener throws', async () => {
  const failure = new Error('a listener failed');
  const { group, processes, errors } = await openGroup({
    runnerEnded: () => {
      throw failure;
    },
  });
  const run = newRun();
  group.submit(run);
  processes[0]?.exited();
  await untilDispatched();
  expect(errors).toEqual([failure]);
  expect(processes[1]?.requests).toMatchObject([{ kind: 'run', id: 1 }]);
  processes[1]?.reply(done(1));
  expect(await run.answer).toMatchObject({ from: 'runner' });
});

it('starts a waiting run as soon as a parked run was answered because its isolate was disposed of', async () => {
  const { group, processes } = await openGroup({ parked: 1 });
  const [parked, waiting] = [newRun(), newRun()];
  group.submit(parked);
  processes[0]?.reply({ kind: 'parked', id: 1, cpuMs: 1, fetches: [{ fetch: 1, request: FETCH }] });
  group.submit(waiting);
  await untilDispatched();
  expect(processes[0]?.requests.map(({ id }) => id)).toEqual([1]);
  processes[0]?.reply(done(1));
  expect(await parked.answer).toMatchObject({ from: 'runner' });
  await untilDispatched();
  expect(processes[0]?.requests.map(({ id }) => id)).toEqual([1, 2]);
});

it('keeps a runner that reports the end of a parked run at the moment it times out', async () => {
  const { group, processes } = await openGroup({});
  const [parked, executing] = [newRun(), newRun()];
  group.submit(parked);
  processes[0]?.reply({ kind: 'parked', id: 1, cpuMs: 1, fetches: [{ fetch: 1, request: FETCH }] });
  group.submit(executing);
  await untilDispatched();
  group.watch(performance.now() + parked.timeoutMs);
  expect(await parked.answer).toMatchObject({ result: 'timeout' });
  expect(processes[0]?.requests.map(({ kind }) => kind)).toEqual(['run', 'run', 'forget']);
  for (const id of [2, 1]) processes[0]?.reply(done(id)); // The isolate was disposed of before the runner read `forget`.
  expect(await executing.answer).toMatchObject({ from: 'runner' });
  expect(group.status).toMatchObject({ ready: 1, deaths: 0 });
  processes[0]?.reply(done(1));
  expect(group.status.deaths).toBe(1);
});

it('keeps no response that arrives for a run after the one with which the run ended', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { group, processes } = await openGroup({
    fetch: async (_, { url }) => ({ ok: true, status: 200, statusText: '', url, headers: {}, body: '' }),
  });
  const submitOne = async () => {
    const run = newRun();
    group.submit(run);
    const fetches = [1, 2].map((fetch) => ({ fetch, request: FETCH }));
    processes[0]?.reply({ kind: 'parked', id: 1, cpuMs: 1, fetches });
    await untilDispatched();
    processes[0]?.reply(done(1));
    expect(await run.answer).toMatchObject({ from: 'runner' });
    return new WeakRef(run);
  };
  const run = await submitOne();
  expect(processes[0]?.requests.map(({ kind }) => kind)).toEqual(['run', 'resume']);
  await untilDispatched();
  collectGarbage();
  expect(run.deref()).toBeUndefined();
});

describe('the outcome of a run', () => {
  const OBJECT = { valueOf: 1, toString: 1 };

  it.each([
    ['a console line that is null', { console: [null] }, 'ok'],
    ['a time that is not a number', { cpuMs: OBJECT }, 'ok'],
    ['an output that is not text', { output: OBJECT }, 'invalid-result'],
    ['a message that is not text', { result: 'thrown', message: OBJECT }, 'thrown'],
  ])('is not an exception if the runner replies with %s', (_, forged, result) => {
    const answer = { from: 'runner', wallMs: 300, reply: { ...done(1), ...forged } } as unknown as RunAnswer;
    expect(runOutcome(answer, LIMITS)).toMatchObject({ result, console: [] });
  });

  it('has no more CPU time than it took, whatever the runner reported when it parked the run', () => {
    const timeout = { from: 'pool', result: 'timeout', message: 'Timed out.', wallMs: 300 } as const;
    const cpuMs = (reported?: number) => runOutcome({ ...timeout, ...(reported && { cpuMs: reported }) }, LIMITS).cpuMs;
    expect([cpuMs(1e308), cpuMs(-1), cpuMs(20), cpuMs()]).toEqual([300, 0, 20, 300]);
  });
});
