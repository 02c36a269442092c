import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export const summary =
  "Complete the lock files after a dependency changed: every platform's optional package, each with its checksum.";

/** The service's own packages, and those that benchmarks compare it with. */
export const lockFiles = ['package-lock.json', 'test/bench/peers/package-lock.json'];

interface Entry {
  version: string;
  integrity?: string;
  dev?: boolean;
  /** A folder in this repository. */
  link?: boolean;
  /** The package's name if it differs from the name of its folder. */
  name?: string;
  optionalDependencies?: Record<string, string>;
}
type Lock = { packages: Record<string, Entry> };

const SYSTEMS: Record<string, string> = { windows: 'win32' };
const PROCESSORS: Record<string, string> = { '64': 'x64', arm: 'arm', 'arm-eabi': 'arm', 'arm-gnueabihf': 'arm' };
const LIBRARIES: Record<string, string> = { gnu: 'glibc', musl: 'musl' };
const PLATFORM =
  /-(android|darwin|freebsd|linux|win32|windows)-(arm64|arm(?:-eabi|-gnueabihf)?|ia32|x64|64)(?:-(gnu|musl|msvc))?$/;

/**
 * Returns the missing entries, without checksums. npm leaves an optional package out of the lock if looking it up fails
 * at that moment, and npm 11 then refuses `npm ci` on every computer.
 */
export function missingEntries({ packages }: Lock): Record<string, object> {
  const missing: Record<string, object> = {};
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (places(path, name).some((place) => packages[place])) continue;
      missing[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
    }
  }
  return missing;
}

/** Returns the paths of entries without a checksum, which npm would install unverified. */
export const unverified = ({ packages }: Lock): string[] =>
  Object.entries(packages).flatMap(([path, { integrity, link }]) => (path === '' || link || integrity ? [] : [path]));

/**
 * Asks the registry through npm, with the user's own configuration. Returns undefined if it does not have this version.
 */
async function integrityOf(path: string, { name, version }: Entry): Promise<string | undefined> {
  const spec = `${name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
  const { stdout } = await promisify(execFile)('npm', ['view', spec, 'dist.integrity']).catch(() => ({ stdout: '' }));
  const integrity = stdout.trim();
  return integrity.startsWith('sha512-') ? integrity : undefined;
}

/** Returns the places where Node looks for `name` from the package at `path`, innermost first. */
function places(path: string, name: string): string[] {
  const here = `${path && `${path}/`}node_modules/${name}`;
  if (path === '') return [here];
  return [here, ...places(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name)];
}

function platformOf(name: string) {
  const [, system, processor, library] = PLATFORM.exec(name) ?? [];
  if (!system || !processor) throw new Error(`${name} does not end in a platform: add its entry by hand`);
  const libc = LIBRARIES[library ?? ''];
  return {
    os: [SYSTEMS[system] ?? system],
    cpu: [PROCESSORS[processor] ?? processor],
    ...(libc && { libc: [libc] }),
  };
}

/** Writes a completed lock file and returns the paths that still have no checksum. */
async function complete(lockFile: string): Promise<string[]> {
  const file = new URL(`../${lockFile}`, import.meta.url);
  const lock = JSON.parse(await readFile(file, 'utf8')) as Lock;
  const missing = missingEntries(lock);
  const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'));
  const completed = { ...lock, packages: Object.fromEntries(sorted) } as Lock;
  const without = unverified(completed);
  for (const path of without) {
    const entry = completed.packages[path] as Entry;
    const integrity = await integrityOf(path, entry);
    if (integrity) completed.packages[path] = { ...entry, integrity };
  }
  const still = unverified(completed);
  await writeFile(file, `${JSON.stringify(completed, null, 2)}\n`);
  const added = `${Object.keys(missing).length} packages and ${without.length - still.length} checksums`;
  console.log(`${lockFile}: added ${added}.`);
  return still;
}

export async function run(): Promise<void> {
  const still: string[] = [];
  for (const lockFile of lockFiles) still.push(...(await complete(lockFile)));
  if (still.length > 0)
    throw new Error(`The registry has no checksum for these, so they stay unverified: ${still.join(', ')}`);
}
