import { flush, put, receive, receiveNext, record } from './channel.mjs';
import { compile } from './compile.mjs';
import { composePrelude } from './prelude.mjs';
import { Script } from './script.mjs';

/**
 * Entry point of the child process. It reads requests, runs scripts in isolates one at a time, and writes replies.
 *
 * All code is loaded before the process drops its rights, because afterwards it may not be able to read its own folder.
 */

/**
 * Seconds of CPU after which the runner exits between two runs, to be replaced. The limit that `prlimit` sets is higher: it ends
 * a runner whose parent was killed while native code kept it busy.
 */
const RETIREMENT_SECONDS = 1800;
const TURNS_PER_CHECK = 1000;

/** @type {import('./protocol.ts').RunnerSettings} */
const settings = JSON.parse(/** @type {string} */ (process.argv[2]));
const { limits } = settings;
const prelude = composePrelude(settings);

/** `performance.now()` from which on the remaining runs of this turn are handed back. */
let turnEndsAt = 0;

/** @type {Map<number, Script>} */
const scripts = new Map();

confine(settings);
put({ kind: 'ready', layers: layersInside() });
flush();

// The event loop is never entered: nothing here needs it, and each iteration would make a run about 10% slower.
for (let turns = 0; turns % TURNS_PER_CHECK !== 0 || !isOld(); turns++) {
  const request = receive();
  if (!request) break; // The parent is gone.
  handleTurn(request);
}
process.exit(0);

function isOld() {
  return process.cpuUsage().user > RETIREMENT_SECONDS * 1e6;
}

/**
 * Handles all requests that arrived together and sends their replies together. Once `turnMs` has passed, runs that have not begun are
 * handed back.
 *
 * @param {import('./protocol.ts').Request} first
 */
function handleTurn(first) {
  for (let request = /** @type {typeof first | undefined} */ (first); request; ) {
    const follows = request.kind === 'run' && request.follows;
    if (!follows) turnEndsAt = performance.now() + limits.turnMs;
    const script = performance.now() > turnEndsAt ? put({ kind: 'back', id: request.id }) : handle(request);
    request = receiveNext();
    if (!request) flush();
    script?.prepareNext(); // After the last request this runs while the replies are on their way.
  }
  flush(); // If `prepareNext` failed, it queued replies for the runs parked in the same isolate.
}

/** @param {import('./protocol.ts').Request} request @returns {Script | undefined} the script that was run */
function handle(request) {
  record(request.id);
  if (request.kind === 'compile') {
    put({ kind: 'compiled', id: request.id, ...compile(request, prelude, limits) });
    return undefined;
  }
  if (request.kind === 'run') load(request);
  const script = scripts.get(request.script);
  if (!script && request.kind === 'forget') return undefined; // Unloaded since, and its parked runs were reported as failed.
  if (!script) throw new Error(`Script ${request.script} was never sent.`);

  if (request.kind === 'run') script.run(request);
  else if (request.kind === 'resume') script.resume(request);
  else script.forget(request.id);
  return script;
}

/** @param {Extract<import('./protocol.ts').Request, { kind: 'run' }>} request */
function load({ script, source, unload = [] }) {
  for (const name of unload) {
    scripts.get(name)?.dispose();
    scripts.delete(name);
  }
  if (source !== undefined) scripts.set(script, new Script({ source, prelude, limits, put }));
}

/**
 * Drops the rights that the process needed only to start: switches to another user if it is root.
 *
 * @param {import('./protocol.ts').RunnerSettings} settings
 * @throws if that fails, because a runner that keeps its rights must not run scripts
 */
function confine({ identity }) {
  if (!identity) return;
  process.setgroups?.([]);
  process.setgid?.(identity.gid);
  process.setuid?.(identity.uid);
}

/** Returns the hardening layers that are active for this process. They are detected here, not passed in as settings. */
function layersInside() {
  const { permission, env, execArgv } = process;
  /** @type {Record<string, boolean>} */
  const layers = {
    jitless: !('WebAssembly' in globalThis),
    permission:
      permission !== undefined &&
      !['fs.write', 'child', 'worker', 'net', 'inspector', 'wasi'].some((scope) => permission.has(scope)),
    'no-inspector': execArgv.includes('--disable-sigusr1'),
    'empty-environment': Object.keys(env).every((name) => name === 'PWD'), // bwrap sets `PWD`, to the root folder.
    'unprivileged-user': process.getuid?.() !== 0,
  };
  return Object.keys(layers).filter((name) => layers[name]);
}
