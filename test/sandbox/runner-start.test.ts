import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { harden } from '../../src/script-runners/process/hardening.ts';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';
import { BENIGN, INPUT, logger } from './support.ts';

afterEach(() => void vi.useRealTimers());

it('fails the start of a silent runner once, and does not close a file that was opened afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const starting = RunnerProcess.start({ file: '/bin/sleep', args: ['600'], inheritsEnvironment: false });
  const refused = expect(starting).rejects.toThrow('did not start in time');
  vi.advanceTimersByTime(120_000);
  vi.useRealTimers();
  const since = openSync('/dev/null', 'r'); // Gets the file descriptor that the runner's recorder had.
  await refused;
  await once(spawn('/bin/true'), 'exit'); // Its exit is reported after that of the runner.
  expect(() => fstatSync(since)).not.toThrow();
  closeSync(since);
});

it('does not end a runner that is told to forget a run whose script was unloaded', async () => {
  const { first: runner } = await harden({ runners: 1, timeoutMs: 1_000, memoryMb: 16, harden: false, logger });
  const first = Promise.withResolvers<unknown>();
  runner.listen({ replied: first.resolve, exited: () => first.resolve(runner.exit) });
  runner.send([
    { kind: 'forget', id: 1, script: 1 },
    { kind: 'run', id: 2, script: 2, source: BENIGN, input: INPUT, timeoutMs: 1_000, memoryMb: 16 },
  ]);
  expect(await first.promise).toMatchObject({ kind: 'done', id: 2, result: 'ok' });
  await runner.kill();
});
