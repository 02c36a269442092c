/**
 * `fetch`, as far as a script can have it: the request leaves as text, the run is parked, and the answer comes back as text.
 *
 * @param {number} most calls in one run
 */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeFetch(most) {
  const { parse, stringify } = JSON;
  const waiting = new Map();
  let unsent = [];
  let calls = 0;

  class Headers {
    #values = new Map();
    constructor(init = {}) {
      const pairs = typeof init?.[Symbol.iterator] === 'function' ? init : Object.entries(init ?? {});
      for (const [name, value] of pairs) this.#values.set(`${name}`.toLowerCase(), `${value}`);
    }
    get(name) {
      return this.#values.get(`${name}`.toLowerCase()) ?? null;
    }
    has(name) {
      return this.#values.has(`${name}`.toLowerCase());
    }
    entries() {
      return this.#values.entries();
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
    new Promise((resolve, reject) => {
      if (calls >= most) throw new TypeError(`A run may call fetch ${most} times.`);
      if (body !== undefined && body !== null && typeof body !== 'string')
        throw new TypeError('The body of a fetch must be a string.');
      const request = {
        url: `${url}`,
        method: `${method}`.toUpperCase(),
        headers: Object.fromEntries(new Headers(headers)),
        body: body ?? undefined,
      };
      calls++;
      waiting.set(calls, { resolve, reject });
      unsent.push({ fetch: calls, request: stringify(request) });
    });

  return {
    fetch,
    /** True while an answer may still come. */
    isWaiting: () => waiting.size > 0,
    /** The requests made since the last time, as JSON. */
    takeUnsent() {
      const text = stringify(unsent);
      unsent = [];
      return text;
    },
    answer(call, text) {
      const { resolve, reject } = waiting.get(Number(call));
      waiting.delete(Number(call));
      const answer = parse(text);
      if (answer.ok) resolve(new Response(answer));
      else reject(new TypeError(answer.message));
    },
  };
}
