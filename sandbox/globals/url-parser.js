/**
 * Parses and serializes URLs as the WHATWG URL standard specifies, except for Unicode host names. Those must be given in Punycode,
 * because the table that maps them is larger than the rest of the sandbox.
 */
// biome-ignore lint/correctness/noUnusedVariables: called by url.js, with which it is composed
function makeUrlParser() {
  const PORTS = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
  const isSpecial = (protocol) => Object.hasOwn(PORTS, protocol);

  // Characters that are percent-encoded in each part, in addition to controls and non-ASCII ones.
  const FRAGMENT = /[ "<>`]/;
  const QUERY = /[ "#<>]/;
  const SPECIAL_QUERY = /[ "#<>']/;
  const PATH = /[ "#<>?^`{}]/;
  const USERINFO = /[ "#<>?^`{}/:;=@[\\\]|]/;
  const NOTHING = /[^\s\S]/;
  const FORBIDDEN_IN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const FORBIDDEN_IN_DOMAIN = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;

  const encode = (text, set) =>
    text.toWellFormed().replace(/[\s\S]/gu, (c) => (set.test(c) || c < ' ' || c > '~' ? percent(c) : c));
  const percent = (character) =>
    /[!'()*~\w.-]/.test(character) && character < '\x7f'
      ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(character);

  const fail = (text) => {
    throw new TypeError(`Invalid URL: ${text}`);
  };

  const parseIPv4 = (host) => {
    const parts = host.split('.');
    if (parts.length > 1 && parts.at(-1) === '') parts.pop();
    const last = parts.at(-1);
    if (!/^(\d+|0x[\da-f]*)$/i.test(last)) return undefined;
    const numbers = parts.map((part) => {
      if (/^0x[\da-f]*$/i.test(part)) return part.length === 2 ? 0 : Number(part);
      if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8);
      return /^(0|[1-9]\d*)$/.test(part) ? Number(part) : fail(host);
    });
    const rest = numbers.pop();
    if (numbers.length > 3 || numbers.some((n) => n > 255) || rest >= 256 ** (4 - numbers.length)) fail(host);
    const value = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), rest);
    return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.');
  };

  const parseIPv6 = (text) => {
    let source = text;
    const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(source);
    if (dotted) {
      const bytes = dotted.slice(2).map(Number);
      if (bytes.some((byte, i) => byte > 255 || dotted[i + 2] !== `${byte}`)) fail(text);
      const pair = (a, b) => (a * 256 + b).toString(16);
      source = `${dotted[1]}${pair(bytes[0], bytes[1])}:${pair(bytes[2], bytes[3])}`;
    }
    const halves = source.split('::');
    const pieces = halves.map((half) => (half === '' ? [] : half.split(':')));
    const count = pieces.reduce((sum, { length }) => sum + length, 0);
    if (halves.length > 2 || (halves.length === 1 ? count !== 8 : count > 7)) fail(text);
    if (pieces.flat().some((piece) => !/^[\da-f]{1,4}$/i.test(piece))) fail(text);
    const full = halves.length === 1 ? pieces[0] : [...pieces[0], ...Array(8 - count).fill('0'), ...pieces[1]];
    const joined = full.map((piece) => Number.parseInt(piece, 16).toString(16)).join(':');
    // The longest run of zeros becomes `::`, the first one if several are equally long.
    const runs = [...joined.matchAll(/(?<![\da-f])0(?::0)+(?![\da-f])/g)].sort(
      (a, b) => b[0].length - a[0].length || a.index - b.index,
    );
    if (!runs[0]) return `[${joined}]`;
    const [before, after] = [joined.slice(0, runs[0].index), joined.slice(runs[0].index + runs[0][0].length)];
    return `[${before.replace(/:$/, '')}::${after.replace(/^:/, '')}]`;
  };

  const parseHost = (text, protocol) => {
    if (text.startsWith('[')) return text.endsWith(']') ? parseIPv6(text.slice(1, -1)) : fail(text);
    if (!isSpecial(protocol)) return FORBIDDEN_IN_HOST.test(text) ? fail(text) : encode(text, NOTHING);
    let host = text;
    try {
      host = decodeURIComponent(text).toLowerCase();
    } catch {
      fail(text);
    }
    if (host === '' || /[^\0-\x7f]/.test(host) || FORBIDDEN_IN_DOMAIN.test(host)) fail(text);
    return parseIPv4(host) ?? host;
  };

  const parsePort = (text, protocol) => {
    if (!/^\d*$/.test(text) || Number(text) > 65535) fail(text);
    const port = text === '' ? '' : `${Number(text)}`;
    return port === PORTS[protocol] ? '' : port;
  };

  const parseAuthority = (text, protocol) => {
    const at = text.lastIndexOf('@');
    const [username, ...password] = text.slice(0, Math.max(at, 0)).split(':');
    const [, host, port = ''] = /^(\[.*?\]|[^:]*)(?::(.*))?$/.exec(text.slice(at + 1)) ?? fail(text);
    if (protocol === 'file:') return { hostname: text && text !== 'localhost' ? parseHost(text, protocol) : '' };
    if (host === '' && (isSpecial(protocol) || at >= 0 || port !== '')) fail(text);
    return {
      username: encode(username, USERINFO),
      password: encode(password.join(':'), USERINFO),
      hostname: parseHost(host, protocol),
      port: parsePort(port, protocol),
    };
  };

  const parsePath = (text, baseSegments = []) => {
    const segments = [...baseSegments];
    const given = text.split('/');
    given.forEach((segment, i) => {
      const plain = segment.replace(/%2e/gi, '.');
      const isLast = i === given.length - 1;
      if (plain === '..') segments.pop();
      else if (plain !== '.') segments.push(encode(segment, PATH));
      if ((plain === '.' || plain === '..') && isLast) segments.push('');
    });
    return `/${segments.join('/')}`;
  };

  /** Returns the parts, named as in `URL`. `hostname` is null for a URL without an authority. */
  const parse = (input, base) => {
    const text = input.replace(/^[\0-\x20]+|(?<![\0-\x20])[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const [, scheme, rest] = /^(?:([a-z][a-z\d+.-]*):)?([\s\S]*)$/i.exec(text);
    const named = scheme && `${scheme.toLowerCase()}:`;
    const isRelative =
      !named || (base !== undefined && named === base.protocol && isSpecial(named) && !/^[/\\]/.test(rest));
    if (isRelative && (!base || (base.isOpaque && !rest.startsWith('#')))) fail(input);
    const protocol = named ?? base.protocol;

    let [, body, query, fragment] = /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(rest);
    if (isSpecial(protocol)) body = body.replaceAll('\\', '/');
    const search = query === undefined ? '' : `?${encode(query.slice(1), isSpecial(protocol) ? SPECIAL_QUERY : QUERY)}`;
    const hash = fragment === undefined ? '' : `#${encode(fragment.slice(1), FRAGMENT)}`;
    const none = { username: '', password: '', hostname: null, port: '', isOpaque: false };

    if (isRelative && !body.startsWith('//')) {
      const { username, password, hostname, port, isOpaque } = base;
      const kept = { protocol, username, password, hostname, port, isOpaque, hash };
      if (body === '') return { ...kept, pathname: base.pathname, search: query === undefined ? base.search : search };
      const folder = body.startsWith('/') ? [] : base.pathname.split('/').slice(1, -1);
      return { ...kept, pathname: parsePath(body.replace(/^\//, ''), folder), search };
    }
    const slashes = isSpecial(protocol) && protocol !== 'file:' && !isRelative ? /^\/*/ : /^\/\//;
    if (slashes.test(body)) {
      const [, authority, path] = /^([^/]*)(\/?[\s\S]*)$/.exec(body.replace(slashes, ''));
      const pathname = path === '' && !isSpecial(protocol) ? '' : parsePath(path.slice(1));
      return { protocol, ...none, ...parseAuthority(authority, protocol), pathname, search, hash };
    }
    if (protocol === 'file:')
      return { protocol, ...none, hostname: '', pathname: parsePath(body.replace(/^\//, '')), search, hash };
    if (body.startsWith('/')) return { protocol, ...none, pathname: parsePath(body.slice(1)), search, hash };
    return { protocol, ...none, isOpaque: true, pathname: encode(body, NOTHING), search, hash };
  };

  const print = ({ protocol, username, password, hostname, port, pathname, search, hash }) => {
    const user = username || password ? `${username}${password && ':'}${password}@` : '';
    const authority =
      hostname === null ? (pathname.startsWith('//') ? '/.' : '') : `//${user}${hostname}${port && ':'}${port}`;
    return `${protocol}${authority}${pathname}${search}${hash}`;
  };

  return {
    parse,
    print,
    parseHost,
    parsePort,
    parsePath,
    encode,
    isSpecial,
    sets: { FRAGMENT, QUERY, SPECIAL_QUERY, USERINFO },
  };
}
