import { existsSync, lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the runner's code is: all that it may read. */
export const SANDBOX = fileURLToPath(new URL('../../../sandbox/', import.meta.url));
const ADDON = dirname(createRequire(import.meta.url).resolve('isolated-vm/package.json'));
const ADDON_LOADER = dirname(createRequire(join(ADDON, 'package.json')).resolve('node-gyp-build/package.json'));
/** Links on the way to the addon: the module loader asks where they lead. */
const LINKS = ['node_modules', 'node_modules/isolated-vm', 'node_modules/node-gyp-build']
  .map((path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url)))
  .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
/** The loader of isolated-vm looks at this file to tell musl from glibc. */
const LIBC_HINT = '/etc/alpine-release';

/**
 * Ids that own nothing: what `nobody` is on most systems. The runner becomes this user after it has loaded its code, because
 * as that user it may not even reach a checkout below a private directory.
 */
export const NOBODY = { uid: 65534, gid: 65534 };

export const isRoot = () => process.getuid?.() === 0;

/** Layers that are options of Node. Whether they hold, the runner says itself: sandbox/confine.mjs. */
export const NODE_LAYERS: Record<string, string[]> = {
  /** No machine code is made: no JIT bugs, no WebAssembly, and little address space, which makes `prlimit` usable. */
  jitless: ['--jitless'],
  /** No files but its own, no network, no child processes, no workers, no inspector. */
  permission: [
    '--permission',
    '--allow-addons',
    ...[SANDBOX, ADDON, ADDON_LOADER, ...LINKS, LIBC_HINT].map((path) => `--allow-fs-read=${path}`),
    '--disable-warning=PERM0001',
  ],
  /** A signal does not open the debugger's port. */
  'no-inspector': ['--disable-sigusr1'],
};

/** A program that starts the runner in a smaller world. */
export interface Wrapper {
  name: string;
  program: string;
  args: () => string[];
  /** Layers that this one contains. */
  includes?: string[];
}

/** The innermost first. */
export const WRAPPERS: Wrapper[] = [
  {
    // Bytes of data stop what the memory limit of an isolate does not count. CPU seconds end a runner whose parent was killed
    // while native code held it; one that is in use retires before (sandbox/runner.mjs).
    name: 'prlimit',
    program: 'prlimit',
    args: () => ['--data=1342177280', '--core=0', '--nofile=128', '--fsize=4096', '--cpu=3600'],
  },
  {
    // The death signal would not survive the change of user that root's runner makes.
    name: 'no-new-privileges',
    program: 'setpriv',
    args: () => ['--no-new-privs', ...(isRoot() ? [] : ['--pdeathsig=KILL'])],
  },
  {
    name: 'no-network',
    program: 'unshare',
    args: () => ['--net', '--ipc', '--uts', ...(isRoot() ? [] : ['--user'])],
  },
  {
    name: 'bwrap',
    program: 'bwrap',
    includes: ['no-new-privileges', 'no-network'],
    args: () => [
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...['--uid', `${NOBODY.uid}`, '--gid', `${NOBODY.gid}`],
      ...['/usr', '/lib', '/lib64', dirname(process.execPath), SANDBOX, ADDON, ADDON_LOADER].flatMap((path) => [
        '--ro-bind-try',
        path,
        path,
      ]),
      ...['--chdir', '/'],
    ],
  },
];

/** Not the `PATH` of whoever started the service: what confines the runner comes from where the system keeps its programs. */
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** The full path of a program, or undefined when it is not installed. */
export const findProgram = (name: string): string | undefined =>
  PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file));
