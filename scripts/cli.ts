import { readdir } from 'node:fs/promises';

/** What every command in this folder exports: `npm run cli -- <file name> args`. */
export type Command = { summary: string; run: (args: string[]) => Promise<void> };

/** Every `.ts` file beside this one is a command. */
async function commands(): Promise<string[]> {
  const files = await readdir(import.meta.dirname);
  return files.filter((file) => /^[a-z-]+\.ts$/.test(file) && file !== 'cli.ts').map((file) => file.slice(0, -3));
}

const load = (name: string): Promise<Command> => import(`./${name}.ts`);

const FOR_PEOPLE = new Set([
  'ConfigError',
  'DatabaseInUseError',
  'DatabaseUnreachableError',
  'NewerDatabaseError',
  'SecretKeyError',
]);

const [name = '', ...args] = process.argv.slice(2);
const known = (await commands()).sort();
if (known.includes(name)) {
  const { run } = await load(name);
  await run(args).catch((error: Error) => {
    // What a command says on purpose is a plain error, or one with a name of ours; the rest keeps its stack.
    const isForPeople = error.constructor === Error || FOR_PEOPLE.has(error.name);
    console.error(isForPeople ? error.message : error);
    process.exitCode = 1;
  });
} else {
  const width = Math.max(...known.map((command) => command.length));
  const lines = known.map(async (command) => `  ${command.padEnd(width)}  ${(await load(command)).summary}`);
  console.error(`Usage: npm run cli -- <command> [arguments]\n\n${(await Promise.all(lines)).join('\n')}`);
  process.exitCode = 2;
}
