import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { HttpError } from './http-error.ts';
import { resolveName } from './resolve-name.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * Cloud metadata services, refused even if `allowedNetworks` includes them, because they give out the server's
 * credentials. Contains all of link-local: no endpoint is there, and cloud providers keep adding services to it.
 */
const METADATA = [
  '169.254.0.0/16', // AWS, GCP, Azure, OpenStack, Oracle, Scaleway, Tencent; ECS and EKS credentials
  'fe80::/10',
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure's wire server: in a public range, but private
  '192.0.0.192/32', // Oracle, classic
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // GCP
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
].map(parseNetwork);

/** The IPv6 range allocated for public use. Addresses outside are refused. */
const GLOBAL_IPV6 = parseNetwork('2000::/3');
const NAT64 = parseNetwork('64:ff9b::/96');
const SIX_TO_FOUR = parseNetwork('2002::/16');

/** Ports of services that may execute the lines of a POST as commands (FTP, SSH, mail, SMB, printers, caches, IRC). */
const BLOCKED_PORTS = new Set('21 22 23 25 53 110 143 445 465 587 993 995 2525 6379 6667 9100 11211'.split(' '));

export interface AddressGuardOptions {
  /** Private networks (CIDR, or single addresses) that requests may reach. */
  allowedNetworks?: string[];
  /** Resolves a name to addresses. Tests replace it. */
  resolve?: (hostname: string) => Promise<string[]>;
}

/**
 * Prevents SSRF: requests to URLs that tenants configure cannot reach this server or its private network. It resolves
 * the name, checks every address, and the connection uses a checked one, so DNS rebinding (a name that resolves
 * differently between check and use) has no effect.
 */
export class AddressGuard {
  readonly #allowed: Network[];
  readonly #resolve: (hostname: string) => Promise<string[]>;

  constructor({ allowedNetworks = [], resolve = resolveName }: AddressGuardOptions = {}) {
    this.#allowed = allowedNetworks.map(parseNetwork);
    this.#resolve = resolve;
  }

  /**
   * Returns why `url` must not be requested, or undefined if nothing forbids it before a DNS lookup. `URL` has already
   * normalized every notation of an IPv4 address (octal, hex, short, full-width).
   */
  checkUrl(url: string | URL): string | undefined {
    const parsed = typeof url === 'string' ? URL.parse(url) : url;
    if (!parsed) return 'The URL cannot be parsed.';
    const { protocol, username, password, port, hostname } = parsed;
    if (protocol !== 'http:' && protocol !== 'https:') return 'The URL must use http or https.';
    if (username || password) return 'The URL must not contain credentials.';
    if (port === '0' || BLOCKED_PORTS.has(port)) return `Port ${port} is not allowed.`;
    const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    return isIP(literal) ? this.checkAddress(literal) : undefined;
  }

  /** Returns why no connection to this IP address is allowed, or undefined if one is. */
  checkAddress(address: string): string | undefined {
    const outer = ipaddr.parse(address);
    if (embeddedIn(outer).some((inner) => isIn(METADATA, inner))) return `The address ${address} is never allowed.`;
    const inner = effectiveAddress(outer);
    if (isPublic(inner) || isIn(this.#allowed, inner) || isIn(this.#allowed, outer)) return undefined;
    return `The address ${address} is not public.`;
  }

  /** A `lookup` for `net.connect` and `tls.connect` that fails if any address of the name is not allowed. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#checkedAddresses(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error) => callback(error, []),
    );
  };

  async #checkedAddresses(hostname: string): Promise<string[]> {
    const addresses = await this.#resolve(hostname).catch((cause) => {
      throw new HttpError('dns', `The name ${hostname} cannot be resolved.`, { cause });
    });
    if (addresses.length === 0) throw new HttpError('dns', `The name ${hostname} has no address.`);
    // The message omits the address: tenants can read it, and could use names to map the operator's network.
    if (addresses.some((address) => this.checkAddress(address) !== undefined))
      throw new HttpError('blocked', `The name ${hostname} does not resolve to public addresses only.`);
    return addresses;
  }
}

/** @throws {TypeError} if the text is neither a CIDR network nor an address */
function parseNetwork(text: string): Network {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!isIP(text)) throw new TypeError(`${text} is not a network in CIDR notation`);
  return [ipaddr.parse(text), isIP(text) === 4 ? 32 : 128];
}

function isIn(networks: Network[], address: Address): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn([GLOBAL_IPV6], address));
}

/** Returns the address to check: IPv4-mapped and NAT64 addresses reach the IPv4 address at their end. */
function effectiveAddress(address: Address): Address {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  return isMapped || isIn([NAT64], address) ? ipv4At(address, 12) : address;
}

/** Returns the address and the IPv4 addresses it may embed: at its end in most schemes, after the prefix in 6to4. */
function embeddedIn(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address];
  return [address, ipv4At(address, 12), ...(isIn([SIX_TO_FOUR], address) ? [ipv4At(address, 2)] : [])];
}

function ipv4At(address: Address, offset: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(offset, offset + 4));
}
