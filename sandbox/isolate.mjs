import ivm from 'isolated-vm';
import { nextSeed } from './seed.mjs';

/**
 * One V8 heap for one script version of one tenant. The only file that touches isolated-vm, and the only values it lets
 * out of an isolate are strings.
 */
export class Isolate {
  #isolate;
  #prelude;
  #script;

  /**
   * @param {{ prelude: string, source: string, memoryMb: number }} options
   * @throws {SyntaxError} when the source does not compile
   */
  constructor({ prelude, source, memoryMb }) {
    this.#isolate = new ivm.Isolate({ memoryLimit: memoryMb });
    this.#prelude = this.#isolate.compileScriptSync(prelude, { filename: 'prelude.js' });
    // A script's last value would be handed to us, and a function would arrive as a callable: a zero is all we want.
    this.#script = this.#isolate.compileScriptSync(`${source}\n;0`, { filename: 'claims.js' });
  }

  /** True after V8 gave the isolate up, which it does when memory runs out. */
  get isDisposed() {
    return this.#isolate.isDisposed;
  }

  /** Milliseconds this isolate has spent executing. @throws once it is disposed */
  get cpuMs() {
    return Number(this.#isolate.cpuTime) / 1e6;
  }

  /** A fresh set of globals in which only the prelude has run, seeded for the one run it is for. About 0.2 ms. */
  newRealm() {
    const context = this.#isolate.createContextSync();
    const realm = new Realm(context, this.#prelude.runSync(context, { reference: true }), this.#script);
    realm.call('seed', [nextSeed()]);
    return realm;
  }

  /**
   * Compiles without evaluating, and without the zero of the constructor, so that the message speaks of the author's text.
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

/** The globals of one run. Every call has a time limit that holds for JavaScript, its microtasks and regular expressions. */
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
   * Calls an operation of the prelude and drains the microtasks. Each time limit costs a wake-up of another thread, so an
   * operation that cannot reach the script's code goes without.
   *
   * @param {'seed' | 'start' | 'resume' | 'take' | 'requests' | 'lines' | 'defined'} operation
   * @param {string[]} texts
   * @param {number} [timeoutMs]
   */
  call(operation, texts, timeoutMs) {
    const options = timeoutMs === undefined ? undefined : { timeout: timeoutMs };
    return String(this.#entry.applySync(undefined, [operation, ...texts], options));
  }

  /** One reference kept would pin the whole context: after about 200 of them the isolate dies of its memory limit. */
  release() {
    this.#entry.release();
    this.#context.release();
  }
}
