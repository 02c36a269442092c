import { existsSync, lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the runner's code, the only one of ours that the runner may read. */
export const SANDBOX = fileURLToPath(new URL('../../../sandbox/', import.meta.url));
const ADDON = dirname(createRequire(import.meta.url).resolve('isolated-vm/package.json'));
const ADDON_LOADER = dirname(createRequire(join(ADDON, 'package.json')).resolve('node-gyp-build/package.json'));
/** Symbolic links on the path to the addon: the module loader resolves them, so they must be readable. */
const LINKS = ['node_modules', 'node_modules/isolated-vm', 'node_modules/node-gyp-build']
  .map((path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url)))
  .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
/** The loader of isolated-vm checks for this file to distinguish musl from glibc. */
const LIBC_HINT = '/etc/alpine-release';

/**
 * Ids of `nobody` on most systems, which own no files. The runner switches to them after it has loaded its code, because that
 * user may not be able to read an installation below a private directory.
 */
export const NOBODY = { uid: 65534, gid: 65534 };

export const isRoot = () => process.getuid?.() === 0;

/** Layers that are options of Node. The runner itself verifies and reports them (sandbox/runner.mjs). */
export const NODE_LAYERS: Record<string, string[]> = {
  /** V8 generates no machine code: no JIT bugs, no WebAssembly, and so little address space that `prlimit` is usable. */
  jitless: ['--jitless'],
  /** Only the listed files, no network, child processes, workers or inspector. */
  permission: [
    '--permission',
    '--allow-addons',
    ...[SANDBOX, ADDON, ADDON_LOADER, ...LINKS, LIBC_HINT].map((path) => `--allow-fs-read=${path}`),
    '--disable-warning=PERM0001',
  ],
  /** SIGUSR1 does not open the debugger's port. */
  'no-inspector': ['--disable-sigusr1'],
};

/** A program that starts the runner with fewer rights. */
export interface Wrapper {
  name: string;
  program: string;
  args: () => string[];
  /** Layers that this one already provides. */
  includes?: string[];
}

/** Innermost first. */
export const WRAPPERS: Wrapper[] = [
  {
    // `--data` limits memory that an isolate's own limit does not count. `--cpu` ends a runner whose parent was killed while native
    // code kept it busy. A runner in use retires before it reaches that limit (sandbox/runner.mjs).
    name: 'prlimit',
    program: 'prlimit',
    args: () => ['--data=1342177280', '--core=0', '--nofile=128', '--fsize=4096', '--cpu=3600'],
  },
  {
    // Linux clears the parent-death signal when a process changes its user, as root's runner does, so it is set only without root.
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

/** Wrappers are searched for in system folders only. Rejected: `PATH`, which can be set to a folder with other programs. */
const PROGRAM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** Returns the full path of a program, or undefined if it is not installed. */
export const findProgram = (name: string): string | undefined =>
  PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file));
