import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';

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
