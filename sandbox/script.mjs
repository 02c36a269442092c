import { Isolate } from './isolate.mjs';
import { describe, outcomeOf, requestsOf, saysTimeout, truncate } from './outcome.mjs';

/**
 * @typedef {import('./isolate.mjs').Realm} Realm
 * @typedef {Extract<import('./protocol.ts').Reply, { kind: 'done' | 'parked' }>} Reply
 * @typedef {{ id: number, realm: Realm, timeoutMs: number, cpuMs: number, spareUsed: boolean }} Run
 */

/** Time limit in milliseconds for asking a stopped run whether it denied access, and for its console lines. */
const AFTER_STOP_MS = 20;

/** A script version in this runner: one isolate, a fresh realm for each run, and the next realm prepared in advance. */
export class Script {
  #options;
  #memoryMb = 0;
  /** @type {Isolate | undefined} */
  #isolate;
  /** @type {Realm | undefined} */
  #spare;
  /** Runs that the current isolate has executed. */
  #runs = 0;
  /** Runs that wait for a fetch. @type {Map<number, Run>} */
  #parked = new Map();

  /** @param {{ source: string, prelude: string, limits: import('./protocol.ts').Limits, put: (reply: Reply) => void }} options */
  constructor(options) {
    this.#options = options;
  }

  /** @param {{ id: number, input: string, timeoutMs: number, memoryMb: number }} request */
  run({ id, input, timeoutMs, memoryMb }) {
    const startedAt = performance.now();
    if (memoryMb !== this.#memoryMb) this.dispose();
    this.#memoryMb = memoryMb;

    const spare = this.#spare;
    this.#spare = undefined;
    try {
      const realm = spare ?? this.#ownIsolate().newRealm();
      this.#runs++;
      const run = { id, realm, timeoutMs, cpuMs: 0, spareUsed: spare !== undefined };
      this.#execute(run, startedAt, timeoutMs, (deadline) => {
        realm.evaluate(timeoutMs);
        realm.call('start', [input], timeLeft(deadline));
      });
    } catch (error) {
      this.dispose();
      const message = truncate(describe(error).message, this.#options.limits.messageBytes);
      this.#fail({ id, cpuMs: 0, spareUsed: false }, performance.now() - startedAt, message);
    }
  }

  /**
   * Continues a parked run with the answer to one of its fetches.
   *
   * @param {{ id: number, fetch: number, response: string, timeoutMs: number }} request
   */
  resume({ id, fetch, response, timeoutMs }) {
    const run = this.#parked.get(id);
    if (!run) return; // Its isolate was disposed of with another run, which was reported to the parent.
    this.#parked.delete(id);
    this.#execute(run, performance.now(), timeoutMs, () => {
      run.realm.call('resume', [String(fetch), response], timeoutMs);
    });
  }

  /** Drops a parked run. @param {number} id */
  forget(id) {
    this.#parked.get(id)?.realm.release();
    this.#parked.delete(id);
  }

  /** Prepares the realm of the next run. Replaces an isolate that has executed `runsPerIsolate` runs. */
  prepareNext() {
    if (this.#runs >= this.#options.limits.runsPerIsolate && this.#parked.size === 0) this.dispose();
    try {
      this.#spare ??= this.#ownIsolate().newRealm();
    } catch {
      this.dispose(); // The next run fails with the same error and reports it.
    }
  }

  /** Frees the isolate. Runs parked in it fail, because their memory is gone. */
  dispose() {
    this.#isolate?.dispose();
    this.#isolate = undefined;
    this.#spare = undefined;
    this.#runs = 0;
    const message = 'Another run of this script was stopped, and this one with it.';
    for (const run of this.#parked.values()) this.#fail(run, 0, message);
    this.#parked.clear();
  }

  /** @param {Pick<Run, 'id' | 'cpuMs' | 'spareUsed'>} run @param {number} wallMs @param {string} message */
  #fail({ id, cpuMs, spareUsed }, wallMs, message) {
    this.#options.put({ kind: 'done', id, wallMs, cpuMs, spareUsed, console: [], result: 'thrown', message });
  }

  /** @param {Realm} realm of a run that waits for fetches @param {number} deadline of the run */
  #takeRequests(realm, deadline) {
    let text = '';
    try {
      text = realm.call('requests', [], timeLeft(deadline) + AFTER_STOP_MS);
    } catch {
      // Timed out, or the isolate is gone. Without requests there is nothing to wait for.
    }
    return requestsOf(text, this.#options.limits);
  }

  #ownIsolate() {
    const { prelude, source } = this.#options;
    this.#isolate ??= new Isolate({ prelude, source, memoryMb: this.#memoryMb });
    return this.#isolate;
  }

  /**
   * @param {Run} run
   * @param {number} startedAt `performance.now()`
   * @param {number} timeoutMs milliseconds from `startedAt`; less than the run's own after a fetch
   * @param {(deadline: number) => void} step runs code of the script
   */
  #execute(run, startedAt, timeoutMs, step) {
    const isolate = this.#ownIsolate();
    const { id, realm, spareUsed } = run;
    const { limits, put } = this.#options;
    const deadline = startedAt + timeoutMs;
    const cpuMs = isolate.cpuMs;
    /** @type {{ thrown: unknown } | undefined} */
    let stop;
    try {
      step(deadline);
    } catch (thrown) {
      stop = { thrown };
    }
    const timedOut = stop !== undefined && saysTimeout(stop.thrown) && timeLeft(deadline) <= 1;
    const state = stateOf(realm, stop && AFTER_STOP_MS);
    const requested = state?.text.startsWith('f') && !stop ? this.#takeRequests(realm, deadline) : undefined;
    const { isDisposed } = isolate;
    run.cpuMs += isDisposed ? performance.now() - startedAt : isolate.cpuMs - cpuMs;

    if (requested && 'fetches' in requested && !isDisposed) {
      this.#parked.set(id, run);
      put({ kind: 'parked', id, cpuMs: run.cpuMs, fetches: requested.fetches });
      return;
    }
    const wallMs = performance.now() - startedAt;
    const settle = (/** @type {import('./outcome.mjs').Outcome} */ outcome) =>
      put({ kind: 'done', id, wallMs, cpuMs: run.cpuMs, spareUsed, console: state?.lines ?? [], ...outcome });
    if (isDisposed) settle({ result: 'memory', message: `The script needs more than ${this.#memoryMb} MB.` });
    else if (timedOut && !state?.text.startsWith('d'))
      settle({ result: 'timeout', message: `Timed out after ${grouped(run.timeoutMs)} ms.` });
    else if (!state || (stop && state.text.startsWith('p'))) {
      settle({ result: 'thrown', message: truncate(describe(stop?.thrown).message, limits.messageBytes) });
    } else settle(requested && 'result' in requested ? requested : outcomeOf(state.text, limits));

    if (isDisposed || timedOut || !state) this.dispose();
    else realm.release();
  }
}

/** @param {Realm} realm @param {number} [timeoutMs] needed if the run was stopped, because microtasks of the script may be left */
function stateOf(realm, timeoutMs) {
  try {
    const text = realm.call('state', [], timeoutMs);
    return { text, lines: text.charAt(1) === '1' ? JSON.parse(realm.call('lines', [], timeoutMs)) : [] };
  } catch {
    return undefined; // The isolate is gone, or a microtask of the script does not end.
  }
}

/**
 * Writes 1000 as `1,000`, up to six digits. Rejected: `toLocaleString`, which loads ICU data and so delays the reply of a
 * timed-out run.
 */
const grouped = (/** @type {number} */ ms) =>
  ms < 1000 ? String(ms) : `${Math.trunc(ms / 1000)},${String(ms % 1000).padStart(3, '0')}`;

const timeLeft = (/** @type {number} */ deadline) => Math.max(1, Math.ceil(deadline - performance.now()));
