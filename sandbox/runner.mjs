import { flush, put, receive, receiveNext, record } from './channel.mjs';
import { compile } from './compile.mjs';
import { confine, layersInside } from './confine.mjs';
import { composePrelude } from './prelude.mjs';
import { Script } from './script.mjs';

/**
 * The child process: frames in, runs in isolates, frames out; one at a time.
 *
 * Everything is loaded before the process gives up its rights, because afterwards it may not even read its own folder.
 */

/**
 * Seconds of CPU after which the runner ends, between two runs, and is replaced. The limit that `prlimit` sets lies above it:
 * that one is for a runner whose parent was killed while native code held it.
 */
const RETIREMENT_SECONDS = 1800;
const TURNS_PER_LOOK = 1000;

/** @type {import('./protocol.ts').RunnerSettings} */
const settings = JSON.parse(/** @type {string} */ (process.argv[2]));
const { limits } = settings;
const prelude = composePrelude(settings);

/** `performance.now()` from when what follows in this turn goes back. */
let turnEndsAt = 0;

/** @type {Map<number, Script>} */
const scripts = new Map();

confine(settings);
put({ kind: 'ready', layers: layersInside() });
flush();

// The event loop never turns: nothing here waits for it, and a turn would cost each run a tenth of its time.
for (let turns = 0; turns % TURNS_PER_LOOK !== 0 || !isOld(); turns++) {
  const request = receive();
  if (!request) break; // The parent is gone.
  takeTurn(request);
}
process.exit(0);

function isOld() {
  return process.cpuUsage().user > RETIREMENT_SECONDS * 1e6;
}

/**
 * What came together is answered together. When that takes too long, the runs that were not begun go back.
 *
 * @param {import('./protocol.ts').Request} first
 */
function takeTurn(first) {
  for (let request = /** @type {typeof first | undefined} */ (first); request; ) {
    const follows = request.kind === 'run' && request.follows;
    if (!follows) turnEndsAt = performance.now() + limits.turnMs;
    const script = performance.now() > turnEndsAt ? put({ kind: 'back', id: request.id }) : handle(request);
    request = receiveNext();
    if (!request) flush();
    script?.prepareNext(); // While the answers travel, after the last.
  }
  flush(); // What a context that could not be made had to say of the runs that were parked beside it.
}

/**
 * @param {import('./protocol.ts').Request} request
 * @returns {Script | undefined} that was run
 */
function handle(request) {
  record(request.id);
  if (request.kind === 'compile') {
    put({ kind: 'compiled', id: request.id, ...compile(request, prelude, limits) });
    return undefined;
  }
  if (request.kind === 'run') load(request);
  const script = scripts.get(request.script);
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
