import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ServiceError } from '../src/errors.ts';
// Must come before the commands, which load the library.
import { expectNoMore } from '../src/observe/expected-warnings.ts';
import { nearest } from './support/nearest.ts';

/** The interface of every command in this folder: `npm run cli -- <file name> args`. */
export interface Command {
  summary: string;
  /** The arguments, then an empty line and their explanation. */
  usage?: string;
  run(args: string[]): Promise<void>;
}

/** Errors whose message is enough for the user. All others are printed with their stack. */
const EXPECTED_ERRORS = new Set([
  'ConfigError',
  'DatabaseInUseError',
  'DatabaseUnreachableError',
  'MissingLayerError',
  'NewerDatabaseError',
  'SecretKeyError',
  'ServiceError',
]);

/** Every `.ts` file in this folder except this one is a command. */
async function commands(): Promise<string[]> {
  const files = await readdir(import.meta.dirname);
  return files.filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== 'cli.ts').map((file) => file.slice(0, -3));
}

const load = (name: string): Promise<Command> => import(`./${name}.ts`);

const usageOf = (name: string, { usage = '' }: Command): string => `npm run cli -- ${name} ${usage}`.trimEnd();

/** Exits if Node is older than the version that the lock file installs. */
async function requireRuntime(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  const pinned: string = manifest.dependencies.node;
  if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(pinned, 10)) return;
  const [name = '<command>'] = process.argv.slice(2);
  console.error(
    `This is Node ${process.versions.node}, but commands need Node ${pinned}. The installation includes it: npm run cli -- ${name}`,
  );
  process.exit(1);
}

async function listCommands(known: string[]): Promise<string> {
  const width = Math.max(...known.map((command) => command.length));
  const loaded = await Promise.all(known.map(load));
  expectNoMore();
  const lines = known.map((command, index) => `  ${command.padEnd(width)}  ${loaded[index]?.summary}`);
  return `Usage: npm run cli -- <command> [arguments]\n\n${lines.join('\n')}\n
For more about a command: npm run cli -- <command> --help`;
}

function printError(error: Error, usage: string): void {
  process.exitCode = 1;
  if (String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message.split('. ')[0]}.\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  const { details } = error as ServiceError;
  // Commands throw a plain Error, or one of the named ones, for messages to the user. All others keep their stack.
  const isExpected = error.constructor === Error || EXPECTED_ERRORS.has(error.name);
  console.error(isExpected ? [error.message, details].filter(Boolean).join(' ') : error);
}

async function runCommand(name: string, args: string[]): Promise<void> {
  const command = await load(name);
  expectNoMore();
  const usage = usageOf(name, command);
  if (args.includes('--help') || args.includes('-h')) return console.log(`${usage}\n\n${command.summary}`);
  try {
    // This command accepts no arguments; without this check it would silently ignore them.
    if (command.run.length === 0) parseArgs({ args, options: {} });
    await command.run(args);
  } catch (error) {
    printError(error as Error, usage);
  }
}

process.umask(0o077); // Commands write keys, credentials and personal data: only the current user may read their files.
await requireRuntime();
const [name, ...args] = process.argv.slice(2);
const known = (await commands()).sort();
if (name !== undefined && known.includes(name)) await runCommand(name, args);
else if (name === '--help' || name === '-h') console.log(await listCommands(known));
else {
  const guess = nearest(name ?? '', known);
  if (name !== undefined) console.error(`Unknown command: ${name}.${guess ? ` Did you mean ${guess}?` : ''}\n`);
  console.error(await listCommands(known));
  process.exitCode = 2;
}
