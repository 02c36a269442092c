import { readdir } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import '../../src/observe/expected-warnings.ts'; // Must come before the benchmarks, which load the library.

/**
 * The interface of every benchmark in this folder: `npm run bench -- <file name>`. The result is printed as the last
 * line.
 */
export type Bench = () => Promise<Record<string, unknown>>;

const files = await readdir(import.meta.dirname);
const known = files.filter((file) => file.endsWith('.ts') && file !== 'run.ts').map((file) => file.slice(0, -3));
const [name = ''] = process.argv.slice(2);

if (known.includes(name)) {
  const host = { node: process.version, cores: availableParallelism() };
  console.log(`${name}: Node ${host.node}, ${host.cores} × ${cpus()[0]?.model}`);
  const { bench }: { bench: Bench } = await import(`./${name}.ts`);
  console.log(JSON.stringify({ bench: name, ...host, ...(await bench()) }));
} else {
  console.error(`Usage: npm run bench -- <name>\n\n${known.map((each) => `  ${each}`).join('\n')}`);
  process.exitCode = 2;
}
