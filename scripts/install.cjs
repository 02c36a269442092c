'use strict';
/**
 * Brings node_modules up to the lock file, and does nothing when it is there already: runs before `npm start`,
 * `npm test` and `npm run check`. The machine's own Node runs it, however old, so it is plain CommonJS without
 * dependencies.
 *
 * Packages' install scripts stay off, but for the two that are needed, by name: `node` (the runtime) and `sqlite3`.
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
/** @typedef {{ lock: string, mode: Mode, platform: string }} Stamp what the last complete install was made from and for */
/** @typedef {{ version: string, dev?: boolean, optional?: boolean, devOptional?: boolean }} Package */
/** @typedef {Record<string, Package>} Packages by their path, as in the lock file */

const root = path.dirname(__dirname);
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.understudy-install.json');
const runtime = path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const platform = `${process.platform}-${process.arch}`;

/** A development install serves production too. @type {(have: Stamp | undefined, want: Stamp) => boolean} */
const satisfies = (have, want) =>
  have !== undefined &&
  have.lock === want.lock &&
  have.platform === want.platform &&
  (have.mode === want.mode || have.mode === 'development');

/**
 * True when npm's own record of what it installed holds all that the lock file asks for: somebody ran npm by hand,
 * or an install was cut short after the packages were there. Optional ones may be meant for other platforms.
 *
 * @type {(installed: Packages, wanted: Packages, mode: Mode) => boolean}
 */
const holds = (installed, wanted, mode) =>
  Object.entries(wanted).every(
    ([place, { version, dev, optional, devOptional }]) =>
      place === '' ||
      optional ||
      (mode === 'production' && (dev || devOptional)) ||
      (installed[place] && installed[place].version === version),
  );

/** @type {(file: string) => any} undefined when absent or cut short */
const readJson = (file) => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/** @type {(line: string) => void} */
const say = (line) => console.log(`understudy: ${line}`);

/** @type {(file: string, args: string[]) => { ok: boolean, output: string }} */
const run = (file, args) => {
  const shell = process.platform === 'win32' && file === 'npm';
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    shell,
  });
  return { ok: status === 0, output: `${stdout || ''}${stderr || ''}${error ? error.message : ''}` };
};

/**
 * The npm that started us, run by the Node that runs it: the one first on PATH may be the runtime we replace.
 *
 * @type {(...args: string[]) => { ok: boolean, output: string }}
 */
const npm = (...args) => {
  const { npm_execpath: cli = '', npm_node_execpath: node = process.execPath } = process.env;
  return cli.endsWith('npm-cli.js') ? run(node, [cli, ...args]) : run('npm', args);
};

/** Also where the user's npm has scripts off, or asks for consent. @type {(name: string) => string} what it printed */
const runScriptOf = (name) => npm('rebuild', '--ignore-scripts=false', '--dangerously-allow-all-scripts', name).output;

const runtimeVersion = () => readJson(path.join(modules, 'node', 'package.json')).version;
const runtimeWorks = () =>
  fs.existsSync(runtime) && run(runtime, ['--version']).output.trim() === `v${runtimeVersion()}`;
const sqliteWorks = () => run(runtime, ['-e', 'require("sqlite3")']).ok;

/** Ends with one clear line; everything the programs printed is kept in a file. @type {(what: string, output: string) => never} */
const fail = (what, output) => {
  const log = path.join(os.tmpdir(), `understudy-install-${process.pid}.log`);
  fs.writeFileSync(log, output);
  console.error(`understudy: ${what}\nunderstudy: all that was printed on the way is in ${log}`);
  process.exit(1);
};

/**
 * `npm ci` empties the folder first. Where an earlier install came to its end only what differs is brought in, as a
 * service may be running from the folder, and sqlite3 need not be compiled again.
 *
 * @type {(mode: Mode, how: 'afresh' | 'on top') => void}
 */
const installPackages = (mode, how) => {
  say(`installing packages for ${mode} ...`);
  const command = how === 'afresh' ? ['ci'] : ['install', '--no-save'];
  // All said outright: the environment of `npm start`, or NODE_ENV, may say otherwise.
  const which = ['--include=optional', mode === 'production' ? '--omit=dev' : '--include=dev'];
  const options = [...which, '--ignore-scripts', '--no-audit', '--no-fund'];
  const { ok, output } = withElapsed('installing packages,', () => npm(...command, ...options));
  if (ok) return;
  const [reason = output.trim().split('\n').pop()] =
    output.match(/(?<=^npm (?:error|ERR!) )(?!code |syscall |errno ).+/m) || [];
  fail(`installing packages failed: ${reason}`, output);
};

const prepareRuntime = () => {
  const name = `Node ${runtimeVersion()} for ${platform}`;
  say(`preparing ${name} ...`);
  const output = withElapsed(`preparing ${name},`, () => runScriptOf('node'));
  if (!runtimeWorks()) fail(`${name} could not be fetched, or does not run here`, output);
};

const prepareSqlite = () => {
  say('preparing sqlite3: fetching a binary or else compiling it, which takes a minute, on a busy machine ten ...');
  // The headers that came with the runtime, so that compiling fetches none.
  const headers = ['node', 'node-bin']
    .map((prefix) => path.join(modules, 'node', 'node_modules', `${prefix}-${platform.replace('win32', 'win')}`))
    .find((folder) => fs.existsSync(path.join(folder, 'include', 'node')));
  if (headers) process.env.npm_config_nodedir = headers;

  const attempt = () => withElapsed('preparing sqlite3,', () => runScriptOf('sqlite3'));
  let output = attempt();
  if (sqliteWorks()) return;
  process.env.npm_config_build_from_source = 'true'; // What was fetched may ask for a newer C library than there is.
  output += attempt();
  if (!sqliteWorks()) fail(`sqlite3 could be neither fetched nor compiled. ${compilerAdvice()}`, output);
};

/** @type {(mode: Mode) => void} */
const install = (mode) => {
  const lockFile = fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const want = { lock: createHash('sha256').update(lockFile).digest('hex'), mode, platform };
  if (satisfies(readJson(stampFile), want)) return;

  withLock(root, say, () => {
    const have = readJson(stampFile);
    if (satisfies(have, want)) return; // Whoever held the lock has done it.
    if (have && have.mode === 'development') want.mode = 'development'; // Never take a developer's packages away.

    const started = Date.now();
    const { packages: installed } = readJson(path.join(modules, '.package-lock.json')) || {};
    if (!installed || (have && have.platform !== platform)) installPackages(want.mode, 'afresh');
    else if (!holds(installed, JSON.parse(lockFile).packages, want.mode)) installPackages(want.mode, 'on top');
    if (!runtimeWorks()) prepareRuntime();
    if (!sqliteWorks()) prepareSqlite();
    fs.writeFileSync(stampFile, JSON.stringify(want));
    say(`installed in ${Math.round((Date.now() - started) / 1000)} s`);
  });
};

if (require.main === module) install(process.argv.includes('--production') ? 'production' : 'development');

module.exports = { holds, satisfies };
