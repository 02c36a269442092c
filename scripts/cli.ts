import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ServiceError } from '../src/errors.ts';
import { expectNoMore } from '../src/observe/expected-warnings.ts'; // Ahead of the commands, which load the library.
import { nearest } from './support/nearest.ts';

/** What every command in this folder exports: `npm run cli -- <file name> args`. */
export interface Command {
  summary: string;
  /** Its arguments, and below an empty line what they mean. */
  usage?: string;
  run(args: string[]): Promise<void>;
}

/** Errors whose message says all there is to say. Any other keeps its stack. */
const FOR_PEOPLE = new Set([
  'ConfigError',
  'DatabaseInUseError',
  'DatabaseUnreachableError',
  'MissingLayerError',
  'NewerDatabaseError',
  'SecretKeyError',
  'ServiceError',
]);

/** Every `.ts` file beside this one is a command. */
async function commands(): Promise<string[]> {
  const files = await readdir(import.meta.dirname);
  return files.filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== 'cli.ts').map((file) => file.slice(0, -3));
}

const load = (name: string): Promise<Command> => import(`./${name}.ts`);

const usageOf = (name: string, { usage = '' }: Command): string => `npm run cli -- ${name} ${usage}`.trimEnd();

/** The machine's own Node may be older than the one that the lock file brings. */
async function requireRuntime(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  const pinned: string = manifest.dependencies.node;
  if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(pinned, 10)) return;
  const [name = '<command>'] = process.argv.slice(2);
  console.error(
    `This is Node ${process.versions.node}; commands need ${pinned}, which the installation brings: npm run cli -- ${name}`,
  );
  process.exit(1);
}

async function listCommands(known: string[]): Promise<string> {
  const width = Math.max(...known.map((command) => command.length));
  const loaded = await Promise.all(known.map(load));
  expectNoMore();
  const lines = known.map((command, index) => `  ${command.padEnd(width)}  ${loaded[index]?.summary}`);
  return `Usage: npm run cli -- <command> [arguments]\n\n${lines.join('\n')}\n
npm run cli -- <command> --help says more.`;
}

function tell(error: Error, usage: string): void {
  process.exitCode = 1;
  if (String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message.split('. ')[0]}.\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  const { details } = error as ServiceError;
  // What a command says on purpose is a plain error, or one with a name of ours; the rest keeps its stack.
  const isForPeople = error.constructor === Error || FOR_PEOPLE.has(error.name);
  console.error(isForPeople ? [error.message, details].filter(Boolean).join(' ') : error);
}

async function runCommand(name: string, args: string[]): Promise<void> {
  const command = await load(name);
  expectNoMore();
  const usage = usageOf(name, command);
  if (args.includes('--help') || args.includes('-h')) return console.log(`${usage}\n\n${command.summary}`);
  try {
    if (command.run.length === 0) parseArgs({ args, options: {} }); // Takes none: what was meant by one would not be done.
    await command.run(args);
  } catch (error) {
    tell(error as Error, usage);
  }
}

process.umask(0o077); // Keys, credentials, people: a command's files are for its user alone.
await requireRuntime();
const [name, ...args] = process.argv.slice(2);
const known = (await commands()).sort();
if (name !== undefined && known.includes(name)) await runCommand(name, args);
else if (name === '--help' || name === '-h') console.log(await listCommands(known));
else {
  const guess = nearest(name ?? '', known);
  if (name !== undefined) console.error(`There is no command ${name}.${guess ? ` Did you mean ${guess}?` : ''}\n`);
  console.error(await listCommands(known));
  process.exitCode = 2;
}
