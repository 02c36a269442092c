import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address as rows show it: an IPv4 client of a socket that serves both families as IPv4, without a zone. Undefined when it is no address. */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIPv4(text)) return text;
  const [address = ''] = text.split('%');
  return isIPv6(address) ? ipaddr.process(address).toString() : undefined;
}

/** The bits of an IPv6 address that its network chooses, in groups of 16. The rest is for each host to choose, as often as it likes. */
const NETWORK_GROUPS = 4;

/**
 * What every limit by address counts: an IPv4 address, or the /64 network of an IPv6 address, because one host has all
 * addresses of its network.
 */
export function networkOf(address: string | undefined): string {
  const plain = plainAddress(address);
  if (plain === undefined || !plain.includes(':')) return plain ?? 'unknown';
  const groups = ipaddr.IPv6.parse(plain).parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
