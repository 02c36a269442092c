import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { childEnvironment } from './compile-cache.ts';

const root = join(import.meta.dirname, '../..');

/** A shell block of a document, and the response that the document shows below it. */
export interface Step {
  commands: string;
  shown?: string;
}

/** Returns the `sh` blocks of a document, or of one of its sections, each with the `json` block that follows it. */
export function stepsOf(file: string, heading?: string): Step[] {
  const document = readFileSync(join(root, file), 'utf8');
  const section =
    heading === undefined ? document : (document.split(/^## /m).find((part) => part.startsWith(heading)) ?? '');
  const steps: Step[] = [];
  for (const [, language, block = ''] of section.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ commands: block });
    else if (language === 'json' && last) last.shown ??= block;
  }
  return steps;
}

const SEPARATOR = '\u001e';

export interface Outcome {
  /** The exit code of the first block that failed, or 0. */
  code: number | null;
  /** The standard output of each block. A block that was not reached has none. */
  outputs: string[];
  stderr: string;
}

/** Runs the blocks in order in one bash, as a reader would paste them. Stops at the first command that fails. */
export async function runSteps(steps: readonly Step[], env: Record<string, string>): Promise<Outcome> {
  const script = steps.map(({ commands }) => `printf '${SEPARATOR}'\n${commands}`).join('\n');
  const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: root,
    env: { ...childEnvironment, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  return { code: shell.exitCode, outputs: stdout.split(SEPARATOR).slice(1), stderr };
}

/** Returns the field names of a JSON value at every level, so that two responses can be compared without their values. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return '…';
  const fields = Object.entries(value).toSorted(([one], [other]) => one.localeCompare(other));
  return Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field)]));
}
