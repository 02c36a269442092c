import { flush, put, receive, receiveNext, record } from './channel.mjs';
import { compile } from './compile.mjs';
import { confine, layersInside } from './confine.mjs';
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

/**
 * @param {import('./protocol.ts').Request} request
 * @returns {Script | undefined} the script that was run
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
