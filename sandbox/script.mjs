import { Isolate } from './isolate.mjs';
import { cut, describe, outcomeOf, requestsOf, saysTimeout } from './outcome.mjs';

/**
 * @typedef {import('./isolate.mjs').Realm} Realm
 * @typedef {Extract<import('./protocol.ts').Reply, { kind: 'done' | 'parked' }>} Reply
 * @typedef {{ id: number, realm: Realm, cpuMs: number, spareUsed: boolean }} Run
 */

/** Milliseconds to ask a stopped run whether it had denied access, and for its console lines. */
const LAST_WORDS_MS = 20;

/** A script version in this runner: one isolate for its runs, a fresh realm for each, the next realm prepared ahead. */
export class Script {
  #options;
  #memoryMb = 0;
  /** @type {Isolate | undefined} */
  #isolate;
  /** @type {Realm | undefined} */
  #spare;
  /** Runs of the present isolate. */
  #runs = 0;
  /** Runs that wait for a fetch. @type {Map<number, Run>} */
  #parked = new Map();

  /**
   * @param {{
   *   source: string,
   *   prelude: string,
   *   limits: import('./protocol.ts').Limits,
   *   put: (reply: Reply) => void,
   * }} options
   */
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
      this.#execute({ id, realm, cpuMs: 0, spareUsed: spare !== undefined }, startedAt, timeoutMs, (deadline) => {
        realm.evaluate(timeoutMs);
        realm.call('start', [input], timeLeft(deadline));
      });
    } catch (error) {
      this.dispose();
      const message = cut(describe(error).message, this.#options.limits.messageBytes);
      const wallMs = performance.now() - startedAt;
      this.#options.put({
        kind: 'done',
        id,
        wallMs,
        cpuMs: 0,
        spareUsed: false,
        console: [],
        result: 'thrown',
        message,
      });
    }
  }

  /**
   * Gives a parked run the answer it waits for.
   *
   * @param {{ id: number, fetch: number, response: string, timeoutMs: number }} request
   */
  resume({ id, fetch, response, timeoutMs }) {
    const run = this.#parked.get(id);
    if (!run) return; // Its isolate was stopped by another run, and the parent was told.
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

  /** Also the moment to replace an isolate that has served its time. */
  prepareNext() {
    if (this.#runs >= this.#options.limits.runsPerIsolate && this.#parked.size === 0) this.dispose();
    try {
      this.#spare ??= this.#ownIsolate().newRealm();
    } catch {
      this.dispose(); // The next run meets the same error and reports it.
    }
  }

  /** Runs that are parked here fail: their memory goes. */
  dispose() {
    this.#isolate?.dispose();
    this.#isolate = undefined;
    this.#spare = undefined;
    this.#runs = 0;
    const message = 'Another run of this script was stopped, and this one with it.';
    for (const { id, cpuMs, spareUsed } of this.#parked.values()) {
      this.#options.put({ kind: 'done', id, wallMs: 0, cpuMs, spareUsed, console: [], result: 'thrown', message });
    }
    this.#parked.clear();
  }

  /**
   * @param {Realm} realm of a run that waits for fetches
   * @param {number} deadline of the run
   */
  #ask(realm, deadline) {
    let text = '';
    try {
      text = realm.call('requests', [], timeLeft(deadline) + LAST_WORDS_MS);
    } catch {
      // The time was over, or the isolate is gone: without its requests the run has no reason to wait.
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
   * @param {number} timeoutMs from then
   * @param {(deadline: number) => void} step
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
    const taken = take(realm, stop && LAST_WORDS_MS);
    const asked = taken?.text.startsWith('f') && !stop ? this.#ask(realm, deadline) : undefined;
    const { isDisposed } = isolate;
    run.cpuMs += isDisposed ? performance.now() - startedAt : isolate.cpuMs - cpuMs;

    if (asked && 'fetches' in asked && !isDisposed) {
      this.#parked.set(id, run);
      put({ kind: 'parked', id, cpuMs: run.cpuMs, fetches: asked.fetches });
      return;
    }
    const wallMs = performance.now() - startedAt;
    const done = {
      kind: /** @type {const} */ ('done'),
      id,
      wallMs,
      cpuMs: run.cpuMs,
      spareUsed,
      console: taken?.lines ?? [],
    };
    if (isDisposed) put({ ...done, result: 'memory', message: `The script needs more than ${this.#memoryMb} MB.` });
    else if (timedOut && !taken?.text.startsWith('d'))
      put({ ...done, result: 'timeout', message: 'The time for the script is over.' });
    else if (!taken || (stop && taken.text.startsWith('p'))) {
      put({ ...done, result: 'thrown', message: cut(describe(stop?.thrown).message, limits.messageBytes) });
    } else put({ ...done, ...(asked && 'result' in asked ? asked : outcomeOf(taken.text, limits)) });

    if (isDisposed || timedOut || !taken) this.dispose();
    else realm.release();
  }
}

/**
 * @param {Realm} realm
 * @param {number} [timeoutMs] needed when the run was stopped: microtasks of the script may be left then
 */
function take(realm, timeoutMs) {
  try {
    const text = realm.call('take', [], timeoutMs);
    return { text, lines: text.charAt(1) === '1' ? JSON.parse(realm.call('lines', [], timeoutMs)) : [] };
  } catch {
    return undefined; // The isolate is gone, or the run left behind what does not end.
  }
}

const timeLeft = (/** @type {number} */ deadline) => Math.max(1, Math.ceil(deadline - performance.now()));
