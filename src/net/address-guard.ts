import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { HttpError } from './http-error.ts';
import { resolveName } from './resolve-name.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * Refused even where `allowedNetworks` covers them: they hand out the machine's own credentials. All of
 * link-local is here, because nothing that receives webhooks lives there and clouds keep adding to it.
 */
const METADATA = [
  '169.254.0.0/16', // AWS, GCP, Azure, OpenStack, Oracle, Scaleway, Tencent; ECS and EKS credentials
  'fe80::/10',
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure's wire server: public by its number, private by its nature
  '192.0.0.192/32', // Oracle, classic
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // GCP
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
].map(parseNetwork);

/** All of IPv6 that is allocated for public use; everything outside is refused without asking further. */
const GLOBAL_IPV6 = parseNetwork('2000::/3');
const NAT64 = parseNetwork('64:ff9b::/96');
const SIX_TO_FOUR = parseNetwork('2002::/16');

/** Services that take the lines of a POST for commands (FTP, SSH, mail, SMB, printers, caches, IRC). */
const BLOCKED_PORTS = new Set('21 22 23 25 53 110 143 445 465 587 993 995 2525 6379 6667 9100 11211'.split(' '));

export interface AddressGuardOptions {
  /** Networks (CIDR, or a single address) that may be reached although they are not public. */
  allowedNetworks?: string[];
  /** Name → addresses; an argument for tests. */
  resolve?: (hostname: string) => Promise<string[]>;
}

/**
 * Keeps requests to URLs that tenants choose away from this machine and its neighbours (SSRF).
 *
 * It judges addresses, never names: a name is resolved here, every answer is judged, and the connection
 * goes to an answer that was judged. So a name that changes its answer between check and use gains nothing.
 */
export class AddressGuard {
  readonly #allowed: Network[];
  readonly #resolve: (hostname: string) => Promise<string[]>;

  constructor({ allowedNetworks = [], resolve = resolveName }: AddressGuardOptions = {}) {
    this.#allowed = allowedNetworks.map(parseNetwork);
    this.#resolve = resolve;
  }

  /**
   * Why `url` may not be requested, or undefined: what can be said without asking the DNS. `URL` has
   * already turned every spelling of an IPv4 address (octal, hex, short, full-width) into the usual one.
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

  /** Why no connection may be made to this IP address, or undefined. */
  checkAddress(address: string): string | undefined {
    const outer = ipaddr.parse(address);
    if (carriedBy(outer).some((inner) => isIn(METADATA, inner))) return `The address ${address} is never allowed.`;
    const inner = judged(outer);
    if (isPublic(inner) || isIn(this.#allowed, inner) || isIn(this.#allowed, outer)) return undefined;
    return `The address ${address} is not public.`;
  }

  /** For `net.connect` and `tls.connect`: yields checked addresses only. One bad answer refuses them all. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#checkedAddresses(hostname).then(
      (addresses) => {
        const answers = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = answers;
        if (options.all) callback(null, answers);
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
    // The message does not name the address: tenants read it, and could map the operator's network by names.
    if (addresses.some((address) => this.checkAddress(address) !== undefined))
      throw new HttpError('blocked', `The name ${hostname} does not lead to a public address.`);
    return addresses;
  }
}

/** @throws {TypeError} naming the text when it is neither a CIDR network nor an address. */
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

/** IPv4-mapped and NAT64 addresses reach the IPv4 address they end in and are judged as it. */
function judged(address: Address): Address {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  return isMapped || isIn([NAT64], address) ? ipv4At(address, 12) : address;
}

/** The address and any IPv4 address it may be carrying: at its end in most schemes, after the prefix in 6to4. */
function carriedBy(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address];
  return [address, ipv4At(address, 12), ...(isIn([SIX_TO_FOUR], address) ? [ipv4At(address, 2)] : [])];
}

function ipv4At(address: Address, offset: number): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(offset, offset + 4));
}
