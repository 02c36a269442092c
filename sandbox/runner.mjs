import { receive, record, send } from './channel.mjs';
import { compile } from './compile.mjs';
import { confine, layersInside } from './confine.mjs';
import { composePrelude } from './prelude.mjs';
import { Script } from './script.mjs';

/**
 * The child process: a frame in, a run in an isolate, a frame out; one at a time.
 *
 * Everything is loaded before the process gives up its rights, because afterwards it may not even read its own folder.
 */

/**
 * Seconds of CPU after which the runner ends, between two runs, and is replaced. The limit that `prlimit` sets lies above it:
 * that one is for a runner whose parent was killed while native code held it.
 */
const RETIREMENT_SECONDS = 1800;
const FRAMES_PER_LOOK = 1000;

/** @type {import('./protocol.ts').RunnerSettings} */
const settings = JSON.parse(/** @type {string} */ (process.argv[2]));
const { limits } = settings;
const prelude = composePrelude(settings);

/** @type {Map<number, Script>} */
const scripts = new Map();

confine(settings);
send({ kind: 'ready', layers: layersInside() });

// The event loop never turns: nothing here waits for it, and a turn would cost each run a tenth of its time.
for (let frames = 0; frames % FRAMES_PER_LOOK !== 0 || !isOld(); frames++) {
  const request = receive();
  if (!request) break; // The parent is gone.
  record(request.id);
  handle(request);
}
process.exit(0);

function isOld() {
  return process.cpuUsage().user > RETIREMENT_SECONDS * 1e6;
}

/** @param {import('./protocol.ts').Request} request */
function handle(request) {
  if (request.kind === 'compile') {
    send({ kind: 'compiled', id: request.id, ...compile(request, prelude, limits) });
    return;
  }
  if (request.kind === 'run') load(request);
  const script = scripts.get(request.script);
  if (!script) throw new Error(`Script ${request.script} was never sent.`);

  if (request.kind === 'run') script.run(request);
  else if (request.kind === 'resume') script.resume(request);
  else script.forget(request.id);
  script.prepareNext(); // While the answer travels.
}

/** @param {Extract<import('./protocol.ts').Request, { kind: 'run' }>} request */
function load({ script, source, unload = [] }) {
  for (const name of unload) {
    scripts.get(name)?.dispose();
    scripts.delete(name);
  }
  if (source !== undefined) scripts.set(script, new Script({ source, prelude, limits, send }));
}
