import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { RunnerProcess } from '../../src/script-runners/process/runner-process.ts';

afterEach(() => void vi.useRealTimers());

it('gives a silent runner up once: its end closes no file that has been opened since', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const starting = RunnerProcess.start({ file: '/bin/sleep', args: ['600'], inheritsEnvironment: false });
  const refused = expect(starting).rejects.toThrow('did not start in time');
  vi.advanceTimersByTime(120_000);
  vi.useRealTimers();
  const since = openSync('/dev/null', 'r'); // Gets the number that the runner's recorder had.
  await refused;
  await once(spawn('/bin/true'), 'exit'); // Told of after the earlier child's end.
  expect(() => fstatSync(since)).not.toThrow();
  closeSync(since);
});
