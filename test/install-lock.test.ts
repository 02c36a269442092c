import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const lock = join(import.meta.dirname, '../scripts/lock.cjs');

/** A process that holds the lock on `folder` until its standard input ends, and prints each step. */
function worker(folder: string): ChildProcess {
  const code = `
    const { withLock } = require(${JSON.stringify(lock)});
    withLock(${JSON.stringify(folder)}, () => console.log('waiting'), () => {
      console.log('started');
      require('fs').readFileSync(0);
      console.log('ended');
    });`;
  return spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  child.stdin?.end();
  const lines: string[] = [];
  for await (const chunk of child.stdout ?? []) lines.push(...String(chunk).trim().split('\n'));
  return lines;
}

/** Resolves when the process has printed its first line. */
const started = (child: ChildProcess) => once(child.stdout as NodeJS.ReadableStream, 'data');

it('lets one process work at a time while the other waits, then continues', async () => {
  const folder = randomUUID();
  const first = worker(folder);
  await started(first);
  const order: string[] = [];
  const second = worker(folder);
  second.stdin?.end();
  first.stdout?.on('data', () => order.push('first ended'));
  second.stdout?.on('data', (chunk) => order.push(`second ${String(chunk).trim().replaceAll('\n', ', ')}`));
  await started(second);
  first.stdin?.end();
  await Promise.all([once(first, 'close'), once(second, 'close')]);
  expect(order.slice(0, 3)).toEqual(['second waiting', 'first ended', expect.stringMatching(/^second started/)]);
});

it('prints the elapsed time while an install blocks', async () => {
  const elapsed = join(import.meta.dirname, '../scripts/elapsed.cjs');
  const code = `
    const { withElapsed } = require(${JSON.stringify(elapsed)});
    withElapsed('compiling,', () => require('fs').readFileSync(0), { everyMs: 20 });
    console.log('done');`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  await started(child);
  const lines = await linesOf(child);
  expect(lines.at(-1)).toBe('done');
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^understudy: compiling, \d+ s so far$/);
});

it('takes the lock over from a killed process', async () => {
  const folder = randomUUID();
  const killed = worker(folder);
  await started(killed);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(await linesOf(worker(folder))).toEqual(['started', 'ended']);
});
