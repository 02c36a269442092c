import { randomBytes } from 'node:crypto';
import ivm from 'isolated-vm';

/** One V8 heap for one script version of one tenant. Only this file uses isolated-vm, and only strings leave an isolate through it. */
export class Isolate {
  #isolate;
  #prelude;
  #script;

  /** @param {{ prelude: string, source: string, memoryMb: number }} options @throws {SyntaxError} if the source does not compile */
  constructor({ prelude, source, memoryMb }) {
    this.#isolate = new ivm.Isolate({ memoryLimit: memoryMb });
    this.#prelude = this.#isolate.compileScriptSync(prelude, { filename: 'prelude.js' });
    // isolated-vm returns a script's last value, and a function would arrive as a callable. The appended zero prevents that.
    this.#script = this.#isolate.compileScriptSync(`${source}\n;0`, { filename: 'claims.js' });
  }

  /** True after V8 disposed of the isolate, which it does when memory runs out. */
  get isDisposed() {
    return this.#isolate.isDisposed;
  }

  /** Milliseconds this isolate has spent executing. @throws once the isolate is disposed */
  get cpuMs() {
    return Number(this.#isolate.cpuTime) / 1e6;
  }

  /** Creates a fresh set of globals for one run, in which only the prelude has run, with a seed for randomness. Takes about 0.2 ms. */
  newRealm() {
    const context = this.#isolate.createContextSync();
    const realm = new Realm(context, this.#prelude.runSync(context, { reference: true }), this.#script);
    realm.call('seed', [nextSeed()]);
    return realm;
  }

  /**
   * Compiles without evaluating, and without the zero that the constructor appends, so that errors point into the author's text.
   *
   * @param {string} source
   * @throws {SyntaxError}
   */
  check(source) {
    this.#isolate.compileScriptSync(source, { filename: 'claims.js' });
  }

  dispose() {
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }
}

/** The globals of one run. Time limits of calls apply to JavaScript, its microtasks and regular expressions. */
export class Realm {
  #context;
  #entry;
  #script;

  /**
   * @param {ivm.Context} context
   * @param {ivm.Reference<(...args: string[]) => string>} entry what the prelude returned
   * @param {ivm.Script} script
   */
  constructor(context, entry, script) {
    this.#context = context;
    this.#entry = entry;
    this.#script = script;
  }

  /** Runs the top level of the script. @param {number} timeoutMs */
  evaluate(timeoutMs) {
    this.#script.runSync(this.#context, { timeout: timeoutMs });
  }

  /**
   * Calls an operation of the prelude and drains the microtasks. A time limit costs a wake-up of another thread, so operations that
   * cannot reach the script's code have none.
   *
   * @param {'seed' | 'start' | 'resume' | 'state' | 'requests' | 'lines' | 'defined'} operation
   * @param {string[]} texts
   * @param {number} [timeoutMs]
   */
  call(operation, texts, timeoutMs) {
    const options = timeoutMs === undefined ? undefined : { timeout: timeoutMs };
    return String(this.#entry.applySync(undefined, [operation, ...texts], options));
  }

  /** Frees the context. One remaining reference keeps all of it in memory: after about 200 the isolate exceeds its memory limit. */
  release() {
    this.#entry.release();
    this.#context.release();
  }
}

/** Hexadecimal digits of the 32 random bytes for one run. */
const SEED_DIGITS = 64;

/** Digits for 128 runs are generated at once: one call of the generator costs as much as the whole prelude of a small run. */
let pool = '';
let used = 0;

/** Returns random hexadecimal digits for one run, never the same twice. */
function nextSeed() {
  if (used === pool.length) {
    pool = randomBytes(128 * SEED_DIGITS).toString('hex');
    used = 0;
  }
  used += SEED_DIGITS;
  return pool.slice(used - SEED_DIGITS, used);
}
