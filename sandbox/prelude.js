/**
 * Runs inside the isolate, in every fresh context, before the script. Its completion value is the only entry point for the host. The
 * script cannot reach it, and it returns only strings.
 *
 * It uses only syntax, which cannot be replaced, and built-ins that it saved before the script ran. It is strict code, so the script
 * cannot reach these functions through `caller`, `arguments` or call sites.
 *
 * @param {import('./protocol.ts').Limits} limits
 * @param {boolean} hasFetch
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the text that prelude.mjs composes
function prelude(limits, hasFetch) {
  const { parse, stringify } = JSON;
  const { apply, defineProperty } = Reflect;
  const { slice } = String.prototype;
  const { exec } = RegExp.prototype;
  const global = globalThis;
  const Failure = Error;

  // Removes shared memory, threads and machine code, the nanosecond clock, and callbacks that could run after the run has ended.
  delete global.WebAssembly;
  delete global.SharedArrayBuffer;
  delete global.Atomics;
  delete global.Temporal;
  delete global.FinalizationRegistry;
  delete global.WeakRef;

  /** Bytes that each line counts in addition to its text, so that empty lines use up the limit too. */
  const LINE_COST = 16;
  const PLACE = /claims\.js:(\d+):(\d+)/;
  const truncate = (text, length) => (text.length > length ? apply(slice, text, [0, length]) : text);

  /** Returns any thrown value as text, with its line and column in the script. */
  const describe = (error) => {
    try {
      if (error === null || typeof error !== 'object') return truncate(`${error}`, limits.messageBytes);
      const { name, message, stack } = error;
      const place = typeof stack === 'string' ? apply(exec, PLACE, [stack]) : null;
      const text = message === undefined ? stringify(error) : `${name === undefined ? 'Error' : name}: ${message}`;
      return truncate(place ? `${text} (line ${place[1]}, column ${place[2]})` : `${text}`, limits.messageBytes);
    } catch {
      return 'The script threw a value that cannot be read.';
    }
  };

  // State of the run: `p` while pending, then one of the letters that outcome.mjs explains, with its text.
  let state = 'p';
  let outcome = '';
  let denial;

  const settle = (letter, text) => {
    if (state !== 'p') return;
    state = letter;
    outcome = text;
  };

  const succeed = (value) => {
    let json;
    try {
      json = stringify(value);
    } catch (error) {
      return settle('i', `The result cannot be written as JSON: ${describe(error)}`);
    }
    if (typeof json !== 'string' || json[0] !== '{') {
      return settle(
        'i',
        `getCustomJwtClaims must return a plain object, not ${value === null ? 'null' : typeof value}.`,
      );
    }
    if (json.length > limits.resultBytes) return settle('l', `The result is larger than ${limits.resultBytes} bytes.`);
    settle('o', json);
  };

  const api = {
    /** Denies the run for good: nothing the script does afterwards changes that. */
    denyAccess(message) {
      if (denial === undefined) {
        denial = 'Access denied by the custom claims script.';
        if (message !== undefined) denial = truncate(`${message}`, limits.messageBytes);
      }
      throw new Failure('Access denied.');
    },
  };

  const call = async (input) => {
    try {
      if (typeof getCustomJwtClaims !== 'function')
        throw new Failure('The script defines no function getCustomJwtClaims.');
      const argument = parse(input);
      argument.api = api;
      succeed(await getCustomJwtClaims(argument));
    } catch (error) {
      settle('t', describe(error));
    }
  };

  let lines = ''; // JSON text, concatenated: `stringify` of an object would call a `toJSON` of the script.
  let consoleLeft = limits.consoleBytes;

  const show = (value) => {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof Failure) return describe(value);
      const json = typeof value === 'object' ? stringify(value) : undefined;
      return json === undefined ? `${typeof value === 'symbol' ? 'Symbol()' : value}` : json;
    } catch {
      return '[value that cannot be shown]';
    }
  };

  const write = (level, values) => {
    if (consoleLeft <= 0) return;
    let text = '';
    for (let i = 0; i < values.length && text.length < consoleLeft; i++) text += (i === 0 ? '' : ' ') + show(values[i]);
    if (consoleLeft <= 0) return; // Already used up: a `toJSON` of the shown values can write lines too.
    if (text.length > consoleLeft) text = `${truncate(text, consoleLeft)}…`;
    consoleLeft -= text.length + LINE_COST;
    lines += `${lines && ','}{"level":"${level}","text":${stringify(text)}}`;
  };

  const log = (...values) => write('log', values);
  global.console = {
    log,
    debug: log,
    info: (...values) => write('info', values),
    warn: (...values) => write('warn', values),
    error: (...values) => write('error', values),
  };

  /** Defines a web global that is created on first use. Rejected: `defineProperty`, which takes twice as long, in every run. */
  const lazily = (name, make) => {
    global.__defineGetter__(name, () => {
      const value = make();
      defineProperty(global, name, { value, writable: true, configurable: true });
      return value;
    });
  };
  const once = (make) => {
    let made;
    return () => {
      made ??= make();
      return made;
    };
  };
  const text = once(makeText);
  const url = once(makeUrl);
  for (const name of ['TextEncoder', 'TextDecoder', 'atob', 'btoa']) lazily(name, () => text()[name]);
  for (const name of ['URL', 'URLSearchParams']) lazily(name, () => url()[name]);
  lazily('structuredClone', makeStructuredClone);
  lazily('crypto', () => makeCrypto(seed));

  const network = hasFetch ? makeFetch(limits) : undefined;
  if (network) defineProperty(global, 'fetch', { value: network.fetch, writable: true, configurable: true });

  let seed;
  const operations = {
    /** Called once, before the script, so that its top level already uses this run's randomness. */
    seed(digits) {
      seed = digits;
      return '';
    },
    start(input) {
      call(input);
      return '';
    },
    /** The letter of the state, whether there are console lines, and the result or message. */
    state() {
      const letter = denial !== undefined ? 'd' : state === 'p' && network?.isWaiting() ? 'f' : state;
      return letter + (lines ? '1' : '0') + (letter === 'd' ? denial : outcome);
    },
    requests: () => network.takeUnsent(),
    resume(call, answer) {
      network.answer(call, answer);
      return '';
    },
    lines: () => `[${lines}]`,
    defined: () => (typeof getCustomJwtClaims === 'function' ? '1' : '0'),
  };

  return (operation, text, more) => operations[operation](text, more);
}
