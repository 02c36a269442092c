import { readdir } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import '../../src/observe/expected-warnings.ts'; // Ahead of the benchmarks, which load the library.

/** What every benchmark beside this file exports: `npm run bench -- <file name>`. The answer becomes the last line printed. */
export type Bench = () => Promise<Record<string, unknown>>;

const files = await readdir(import.meta.dirname);
const known = files.filter((file) => file.endsWith('.ts') && file !== 'run.ts').map((file) => file.slice(0, -3));
const [name = ''] = process.argv.slice(2);

if (known.includes(name)) {
  const machine = { node: process.version, cores: availableParallelism() };
  console.log(`${name}: Node ${machine.node}, ${machine.cores} × ${cpus()[0]?.model}`);
  const { bench }: { bench: Bench } = await import(`./${name}.ts`);
  console.log(JSON.stringify({ bench: name, ...machine, ...(await bench()) }));
} else {
  console.error(`Usage: npm run bench -- <name>\n\n${known.map((each) => `  ${each}`).join('\n')}`);
  process.exitCode = 2;
}
