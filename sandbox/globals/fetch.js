/**
 * `fetch`, as far as a script can have it: the request leaves as text, the run is parked, and the answer comes back as text.
 *
 * The text is made by hand, of syntax and of what was kept before the script ran, so a script that replaces built-ins changes
 * what its own request says and never the form in which it leaves.
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

  /** By number of the call. Not a Map: its methods are the script's to replace. */
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
      // From here on nothing of the script is called: what it wrote may itself have called `fetch`.
      if (calls >= most) throw new Failure(`A run may call fetch ${most} times.`);
      if (length + text.length > requestsBytes)
        throw new Failure(`The requests of a run may have ${requestsBytes} bytes together.`);
      length += text.length;
      unsent += `${unsent && ','}{"fetch":${calls + 1},"request":${text}}`;
      calls++;
      waits++;
      waiting[calls] = { resolve, reject };
    });

  return {
    fetch,
    /** True while an answer may still come. */
    isWaiting: () => waits > 0,
    /** The requests made since the last time, as JSON. */
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
