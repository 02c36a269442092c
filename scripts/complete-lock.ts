import { readFile, writeFile } from 'node:fs/promises';

export const summary =
  "Complete package-lock.json after a dependency changed: every platform's optional package, each with its checksum.";

type Entry = { version: string; dev?: boolean; optionalDependencies?: Record<string, string> };
type Lock = { packages: Record<string, Entry> };

const SYSTEMS: Record<string, string> = { windows: 'win32' };
const PROCESSORS: Record<string, string> = { '64': 'x64', arm: 'arm', 'arm-eabi': 'arm', 'arm-gnueabihf': 'arm' };
const LIBRARIES: Record<string, string> = { gnu: 'glibc', musl: 'musl' };
const PLATFORM =
  /-(android|darwin|freebsd|linux|win32|windows)-(arm64|arm(?:-eabi|-gnueabihf)?|ia32|x64|64)(?:-(gnu|musl|msvc))?$/;

/**
 * npm leaves an optional package out of the lock when it cannot look it up at that moment, and npm 11 then refuses
 * `npm ci` on every machine. Answers the entries that are missing, with no checksum: it is recorded where it is known.
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

/** Where Node looks for `name` from the package at `path`, innermost first. */
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

export async function run(): Promise<void> {
  const file = new URL('../package-lock.json', import.meta.url);
  const lock = JSON.parse(await readFile(file, 'utf8')) as Lock;
  const missing = missingEntries(lock);
  if (Object.keys(missing).length === 0) return console.log('Nothing was missing.');
  const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => a.localeCompare(b, 'en'));
  await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.log(Object.keys(missing).join('\n'));
}
