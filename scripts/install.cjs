'use strict';
/**
 * Installs node_modules according to the lock file, or does nothing if they are up to date. Runs before `npm start`,
 * `npm test` and `npm run check`, and before a benchmark that needs packages of its own. It runs on the user's own
 * Node, which may be old, so it is plain CommonJS without dependencies.
 *
 * Install scripts of packages are off, except for the two that need them: `node` (the runtime) and `sqlite3`.
 */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { compilerAdvice } = require('./compiler-advice.cjs');
const { withElapsed } = require('./elapsed.cjs');
const { withLock } = require('./lock.cjs');

/** @typedef {'production' | 'development'} Mode */
/** @typedef {{ lock: string, mode: Mode, platform: string }} Stamp the input of the last complete install */
/** @typedef {{ version: string, dev?: boolean, optional?: boolean, devOptional?: boolean }} Package */
/** @typedef {Record<string, Package>} Packages packages by path, as in the lock file */

const root = path.dirname(__dirname);
const modules = path.join(root, 'node_modules');
const runtime = path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const platform = `${process.platform}-${process.arch}`;

/**
 * True if the install is up to date. A development install also satisfies production.
 *
 * @type {(have: Stamp | undefined, want: Stamp) => boolean}
 */
const satisfies = (have, want) =>
  have !== undefined &&
  have.lock === want.lock &&
  have.platform === want.platform &&
  (have.mode === want.mode || have.mode === 'development');

/**
 * True if npm's own record of what it installed contains everything in the lock file: the user ran npm directly, or an
 * install was interrupted after the packages were there. Optional packages may be for other platforms.
 *
 * @type {(installed: Packages, wanted: Packages, mode: Mode) => boolean}
 */
const contains = (installed, wanted, mode) =>
  Object.entries(wanted).every(
    ([place, { version, dev, optional, devOptional }]) =>
      place === '' ||
      optional ||
      (mode === 'production' && (dev || devOptional)) ||
      (installed[place] && installed[place].version === version),
  );

/** Returns undefined if the file is absent or incomplete. @type {(file: string) => any} */
const readJson = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/** @type {(line: string) => void} */
const say = (line) => console.log(`understudy: ${line}`);

/** @type {(file: string, args: string[], cwd?: string) => { ok: boolean, output: string }} */
const run = (file, args, cwd = root) => {
  const shell = process.platform === 'win32' && file === 'npm';
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    shell,
  });
  return { ok: status === 0, output: `${stdout || ''}${stderr || ''}${error ? error.message : ''}` };
};

/**
 * Runs the npm that started this process, with the Node that runs it: the Node on PATH may be the runtime that is being
 * replaced.
 *
 * @type {(args: string[], folder?: string) => { ok: boolean, output: string }}
 */
const npm = (args, folder) => {
  const { npm_execpath: cli = '', npm_node_execpath: node = process.execPath } = process.env;
  return cli.endsWith('npm-cli.js') ? run(node, [cli, ...args], folder) : run('npm', args, folder);
};

/**
 * Runs a package's install script even if the user's npm disables scripts or asks for consent. Returns its output.
 *
 * @type {(name: string) => string}
 */
const runScriptOf = (name) =>
  npm(['rebuild', '--ignore-scripts=false', '--dangerously-allow-all-scripts', name]).output;

const runtimeVersion = () => readJson(path.join(modules, 'node', 'package.json')).version;
const runtimeWorks = () =>
  fs.existsSync(runtime) && run(runtime, ['--version']).output.trim() === `v${runtimeVersion()}`;
const sqliteWorks = () => run(runtime, ['-e', 'require("sqlite3")']).ok;

/**
 * Exits with one clear line. The output of all programs is kept in a file.
 *
 * @type {(what: string, output: string) => never}
 */
const fail = (what, output) => {
  const log = path.join(os.tmpdir(), `understudy-install-${process.pid}.log`);
  fs.writeFileSync(log, output);
  console.error(`understudy: ${what}\nunderstudy: the full output is in ${log}`);
  process.exit(1);
};

/**
 * `npm ci` empties the folder first. If an earlier install was completed, `on top` installs only the differences: a
 * service may be running from the folder, and sqlite3 need not be compiled again.
 *
 * @type {(what: string, mode: Mode, how: 'afresh' | 'on top', folder?: string) => void}
 */
const installPackages = (what, mode, how, folder) => {
  say(`installing packages for ${what} ...`);
  const command = how === 'afresh' ? ['ci'] : ['install', '--no-save'];
  // Every option is explicit, because the environment of `npm start` or NODE_ENV may set it otherwise.
  const which = ['--include=optional', mode === 'production' ? '--omit=dev' : '--include=dev'];
  const options = [...which, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=notice'];
  const { ok, output } = withElapsed('installing packages,', () => npm([...command, ...options], folder));
  if (ok) return;
  const [reason = output.trim().split('\n').pop()] =
    output.match(/(?<=^npm (?:error|ERR!) )(?!code |syscall |errno ).+/m) || [];
  fail(`installing packages failed: ${reason}`, output);
};

const prepareRuntime = () => {
  const name = `Node ${runtimeVersion()} for ${platform}`;
  say(`preparing ${name} ...`);
  const output = withElapsed(`preparing ${name},`, () => runScriptOf('node'));
  if (!runtimeWorks()) fail(`${name} could not be downloaded, or does not run on this system`, output);
};

const prepareSqlite = () => {
  say('preparing sqlite3: downloading a binary, or compiling it if there is none (1 to 10 minutes) ...');
  // Uses the headers that came with the runtime, so that compiling downloads none.
  const headers = ['node', 'node-bin']
    .map((prefix) => path.join(modules, 'node', 'node_modules', `${prefix}-${platform.replace('win32', 'win')}`))
    .find((folder) => fs.existsSync(path.join(folder, 'include', 'node')));
  if (headers) process.env.npm_config_nodedir = headers;

  const attempt = () => withElapsed('preparing sqlite3,', () => runScriptOf('sqlite3'));
  let output = attempt();
  if (sqliteWorks()) return;
  // The downloaded binary may need a newer C library than this system has.
  process.env.npm_config_build_from_source = 'true';
  output += attempt();
  if (!sqliteWorks()) fail(`sqlite3 could be neither downloaded nor compiled. ${compilerAdvice()}`, output);
};

/**
 * Runs `work` unless the packages in `folder` are up to date. Only one process at a time works there. `work` gets the
 * stamp of the last complete install and the one of this install, which it may change.
 *
 * @type {(folder: string, mode: Mode, work: (have: Stamp | undefined, want: Stamp) => void) => void}
 */
const unlessInstalled = (folder, mode, work) => {
  const stampFile = path.join(folder, 'node_modules', '.understudy-install.json');
  const lock = createHash('sha256')
    .update(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8'))
    .digest('hex');
  const want = { lock, mode, platform };
  if (satisfies(readJson(stampFile), want)) return;

  withLock(folder, say, () => {
    const have = readJson(stampFile);
    if (satisfies(have, want)) return; // The previous holder of the lock did it.
    const started = Date.now();
    work(have, want);
    fs.writeFileSync(stampFile, JSON.stringify(want));
    say(`installed in ${Math.round((Date.now() - started) / 1000)} s`);
  });
};

/** @type {(mode: Mode) => void} */
const install = (mode) =>
  unlessInstalled(root, mode, (have, want) => {
    if (have && have.mode === 'development') want.mode = 'development'; // Never removes a developer's packages.
    const { packages: installed } = readJson(path.join(modules, '.package-lock.json')) || {};
    const { packages: wanted } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
    if (!installed || (have && have.platform !== platform)) installPackages(want.mode, want.mode, 'afresh');
    else if (!contains(installed, wanted, want.mode)) installPackages(want.mode, want.mode, 'on top');
    if (!runtimeWorks()) prepareRuntime();
    if (!sqliteWorks()) prepareSqlite();
  });

/** Installs what the benchmarks compare the service with: a package of its own. @type {(folder: string) => void} */
const installPeers = (folder) =>
  unlessInstalled(folder, 'production', () => installPackages('this benchmark', 'production', 'afresh', folder));

if (require.main === module) install(process.argv.includes('--production') ? 'production' : 'development');

module.exports = { contains, installPeers, satisfies };
