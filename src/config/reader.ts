import ipaddr from 'ipaddr.js';

/** All faults of the environment, one per line: the variable and what was expected. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Reads variables and keeps every fault instead of stopping at the first. */
export class EnvironmentReader {
  readonly faults: string[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Treats an empty variable as missing. */
  text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }

  fault(name: string, expected: string): undefined {
    this.faults.push(`${name}: expected ${expected}`);
    return undefined;
  }

  integer(name: string, fallback: number, [least, most]: [number, number]): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.fault(name, `a whole number from ${least} to ${most}`);
    return fallback;
  }

  optionalInteger(name: string, range: [number, number]): number | undefined {
    return this.text(name) === undefined ? undefined : this.integer(name, range[0], range);
  }

  boolean(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === undefined || text === 'true' || text === 'false') return text && text === 'true';
    return this.fault(name, 'true or false');
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.text(name) ?? fallback;
    if (values.includes(text as T)) return text as T;
    this.fault(name, `one of ${values.join(', ')}`);
    return fallback;
  }

  url(name: string, protocols: string[]): URL | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    if (url && protocols.includes(url.protocol)) return url;
    return this.fault(name, `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
  }

  /** Host names without scheme, port or path. `*.example.com` means every subdomain. */
  hosts(name: string): string[] {
    const hosts = this.list(name).map((host) => host.toLowerCase());
    const isHost = (host: string) => {
      const base = host.replace(/^\*\./, '');
      return !base.includes('*') && URL.parse(`http://${base}`)?.hostname === base;
    };
    if (!hosts.every(isHost)) this.fault(name, 'host names separated by commas, such as api.example.com,*.example.org');
    return hosts;
  }

  /** A list whose items must each be one of `values`. */
  someOf<T extends string>(name: string, values: readonly T[]): T[] {
    const items = this.list(name) as T[];
    if (!items.every((item) => values.includes(item)))
      this.fault(name, `some of ${values.join(', ')}, separated by commas`);
    return items;
  }

  networks(name: string): string[] | undefined {
    if (this.text(name) === undefined) return undefined;
    const networks = this.list(name);
    const isNetwork = (network: string) => ipaddr.isValidCIDR(network);
    if (!networks.every(isNetwork)) this.fault(name, 'networks in CIDR form, separated by commas, such as 10.0.0.0/8');
    return networks.filter(isNetwork);
  }
}
