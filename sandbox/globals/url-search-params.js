/** `URLSearchParams`, as the WHATWG URL standard specifies it. */
// biome-ignore lint/correctness/noUnusedVariables: called by url.js, with which it is composed
function makeURLSearchParams() {
  const decode = (text) =>
    text.replaceAll('+', ' ').replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
      try {
        return decodeURIComponent(bytes);
      } catch {
        return bytes
          .replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
          .replace(/(?:%[89a-f][\da-f])+/gi, '\ufffd');
      }
    });
  const encode = (text) =>
    encodeURIComponent(text.toWellFormed())
      .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%20', '+');

  class URLSearchParams {
    #pairs = [];
    #onChange = () => {};

    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        const pairs = typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init);
        for (const [name, value] of pairs) this.#pairs.push([`${name}`, `${value}`]);
      } else this.#read(`${init}`);
    }

    /** Binds the parameters to a URL: changes on either side are visible on the other. */
    static of(search, onChange) {
      const params = new URLSearchParams(search);
      params.#onChange = onChange;
      return [params, (changed) => params.#read(changed)];
    }

    #read(text) {
      const parts = text.replace(/^\?/, '').split('&').filter(Boolean);
      this.#pairs = parts.map((part) => {
        const [name, ...value] = part.split('=');
        return [decode(name), decode(value.join('='))];
      });
    }

    get size() {
      return this.#pairs.length;
    }
    get(name) {
      return this.#pairs.find(([key]) => key === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([key]) => key === `${name}`).map(([, value]) => value);
    }
    has(name, value) {
      return this.#pairs.some(([key, own]) => key === `${name}` && (value === undefined || own === `${value}`));
    }
    append(name, value) {
      this.#pairs.push([`${name}`, `${value}`]);
      this.#onChange(`${this}`);
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(
        ([key, own]) => key !== `${name}` || (value !== undefined && own !== `${value}`),
      );
      this.#onChange(`${this}`);
    }
    set(name, value) {
      const first = this.#pairs.find(([key]) => key === `${name}`);
      if (!first) return this.append(name, value);
      first[1] = `${value}`;
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== `${name}`);
      this.#onChange(`${this}`);
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#onChange(`${this}`);
    }
    forEach(callback, self) {
      for (const [name, value] of this.#pairs) callback.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    }
  }

  return URLSearchParams;
}
