import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { childEnvironment } from './compile-cache.ts';
import { hasEnded } from './has-ended.ts';

export interface Process {
  /** The output so far. */
  output(): string;
  until(text: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  exited: Promise<number | null>;
}

/** Starts the service as `npm start` does. `script` from util-linux provides a terminal. */
export function start(env: Record<string, string>, output: 'pipe' | 'terminal' = 'pipe'): Process {
  const command = [process.execPath, join(import.meta.dirname, '../../src/main.ts')];
  const [file = '', ...args] =
    output === 'pipe'
      ? command
      : ['script', '--quiet', '--return', '--command', `exec ${command.join(' ')}`, '/dev/null'];
  const child = spawn(file, args, { env: { ...childEnvironment, SANDBOX_RUNNERS: '1', ...env } });
  let text = '';
  const { promise: exited, resolve } = Promise.withResolvers<number | null>();
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
      for (const look of waiting) look();
    });
  }
  child.on('close', (code) => {
    resolve(code);
    for (const look of waiting) look();
  });
  return {
    output: () => text,
    exited,
    until: (wanted) =>
      new Promise((found, missed) => {
        const look = () => {
          if (text.includes(wanted)) found();
          else if (hasEnded(child)) missed(new Error(`it ended without "${wanted}":\n${text}`));
        };
        waiting.add(look);
        look();
      }),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}
