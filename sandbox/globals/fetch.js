/**
 * `fetch` for scripts: the request leaves the isolate as text, the run is parked, and the answer comes back as text.
 *
 * The text is concatenated using only syntax and built-ins saved before the script ran. A script that replaces built-ins can change the
 * content of its own requests, never their format.
 *
 * @param {import('../protocol.ts').Limits} limits
 */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeFetch({ fetches: most, requestsBytes }) {
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { toLowerCase, toUpperCase } = String.prototype;
  const Failure = TypeError;
  const Eventually = Promise;
  const lower = (text) => apply(toLowerCase, `${text}`, []);

  /** Promises by number of the call. Not a Map, because the script could replace its methods. */
  const waiting = { __proto__: null };
  let waits = 0;
  let calls = 0;
  let unsent = '';
  let length = 0;

  let jsonOf;
  class Headers {
    #values = { __proto__: null };
    constructor(init = {}) {
      const pairs = typeof init?.[Symbol.iterator] === 'function' ? init : Object.entries(init ?? {});
      for (const [name, value] of pairs) this.#values[lower(name)] = `${value}`;
    }
    static {
      jsonOf = (headers) => {
        let json = '';
        for (const name in headers.#values)
          json += `${json && ','}${stringify(name)}:${stringify(headers.#values[name])}`;
        return `{${json}}`;
      };
    }
    get(name) {
      return this.#values[lower(name)] ?? null;
    }
    has(name) {
      return lower(name) in this.#values;
    }
    *entries() {
      for (const name in this.#values) yield [name, this.#values[name]];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
  }

  class Response {
    #body;
    constructor({ status, statusText, url, headers, body }) {
      this.status = status;
      this.ok = status >= 200 && status < 300;
      this.statusText = statusText;
      this.url = url;
      this.headers = new Headers(headers);
      this.#body = body;
    }
    async text() {
      return this.#body;
    }
    async json() {
      return parse(this.#body);
    }
  }

  const fetch = (url, { method = 'GET', headers, body } = {}) =>
    new Eventually((resolve, reject) => {
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new Failure('The body of a fetch must be a string.');
      const line = `"url":${stringify(`${url}`)},"method":${stringify(apply(toUpperCase, `${method}`, []))}`;
      const fields = `${line},"headers":${jsonOf(new Headers(headers))}`;
      const request = typeof body === 'string' ? `{${fields},"body":${stringify(body)}}` : `{${fields}}`;
      const text = stringify(request);
      // Counted only here, where no more code of the script is called: `toString` of its values may itself have called `fetch`.
      if (calls >= most) throw new Failure(`A run may call fetch at most ${most} times.`);
      if (length + text.length > requestsBytes)
        throw new Failure(`All requests of a run together may have at most ${requestsBytes} bytes.`);
      length += text.length;
      unsent += `${unsent && ','}{"fetch":${calls + 1},"request":${text}}`;
      calls++;
      waits++;
      waiting[calls] = { resolve, reject };
    });

  return {
    fetch,
    /** True while an answer is outstanding. */
    isWaiting: () => waits > 0,
    /** Returns the requests made since the last call, as JSON. */
    takeUnsent() {
      const text = `[${unsent}]`;
      unsent = '';
      return text;
    },
    answer(call, text) {
      const { resolve, reject } = waiting[call];
      delete waiting[call];
      waits--;
      const answer = parse(text);
      if (answer.ok) resolve(new Response(answer));
      else reject(new Failure(answer.message));
    },
  };
}
