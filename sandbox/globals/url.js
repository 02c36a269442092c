/** `URL` and `URLSearchParams`. */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeUrl() {
  const parser = makeUrlParser();
  const URLSearchParams = makeURLSearchParams();

  class URL {
    #parts;
    #params;
    #refresh;

    constructor(url, base) {
      this.#parts = parser.parse(`${url}`, base === undefined ? undefined : parser.parse(`${base}`));
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    static canParse(url, base) {
      try {
        return Boolean(new URL(url, base));
      } catch {
        return false;
      }
    }

    get searchParams() {
      if (!this.#params) {
        const onChange = (query) => {
          this.#parts.search = query && `?${query}`;
        };
        [this.#params, this.#refresh] = URLSearchParams.of(this.search, onChange);
      }
      return this.#params;
    }
    get href() {
      return parser.print(this.#parts);
    }
    set href(url) {
      this.#parts = parser.parse(`${url}`);
      this.#refresh?.(this.search);
    }
    get origin() {
      const { protocol, hostname } = this.#parts;
      return parser.isSpecial(protocol) && protocol !== 'file:' && hostname !== null
        ? `${protocol}//${this.host}`
        : 'null';
    }
    get protocol() {
      return this.#parts.protocol;
    }
    get username() {
      return this.#parts.username;
    }
    get password() {
      return this.#parts.password;
    }
    get hostname() {
      return this.#parts.hostname ?? '';
    }
    get port() {
      return this.#parts.port;
    }
    get host() {
      return this.port ? `${this.hostname}:${this.port}` : this.hostname;
    }
    get pathname() {
      return this.#parts.pathname;
    }
    get search() {
      return this.#parts.search === '?' ? '' : this.#parts.search;
    }
    get hash() {
      return this.#parts.hash === '#' ? '' : this.#parts.hash;
    }
    /** Applies a setter. An invalid value leaves the URL unchanged, as the standard requires. */
    #change(change) {
      try {
        this.#parts = parser.parse(parser.print({ ...this.#parts, ...change(this.#parts) }));
      } catch {}
    }
    set protocol(text) {
      const protocol = `${text}`.replace(/:.*$/s, '').toLowerCase();
      if (parser.isSpecial(`${protocol}:`) === parser.isSpecial(this.protocol))
        this.#change(() => ({ protocol: `${protocol}:` }));
    }
    set username(text) {
      this.#change(() => ({ username: parser.encode(`${text}`, parser.sets.USERINFO) }));
    }
    set password(text) {
      this.#change(() => ({ password: parser.encode(`${text}`, parser.sets.USERINFO) }));
    }
    set hostname(text) {
      this.#change(({ protocol }) => ({ hostname: parser.parseHost(`${text}`, protocol) }));
    }
    set port(text) {
      this.#change(({ protocol }) => ({ port: parser.parsePort(/^\d*/.exec(`${text}`)[0], protocol) }));
    }
    set host(text) {
      const [, hostname, port] = /^(\[.*?\]|[^:]*)(?::(\d*))?/.exec(`${text}`);
      this.hostname = hostname;
      if (port) this.port = port;
    }
    set pathname(text) {
      if (!this.#parts.isOpaque) this.#change(() => ({ pathname: parser.parsePath(`${text}`.replace(/^\//, '')) }));
    }
    set search(text) {
      const query = `${text}`.replace(/^\?/, '');
      this.#parts.search = query && `?${parser.encode(query, parser.sets.SPECIAL_QUERY)}`;
      this.#refresh?.(this.search);
    }
    set hash(text) {
      const fragment = `${text}`.replace(/^#/, '');
      this.#parts.hash = fragment && `#${parser.encode(fragment, parser.sets.FRAGMENT)}`;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }

  return { URL, URLSearchParams };
}
