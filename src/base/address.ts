import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns an address as rows store it: no zone, IPv4-mapped IPv6 as IPv4. Undefined if the text is no address. */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIPv4(text)) return text;
  const [address = ''] = text.split('%');
  return isIPv6(address) ? ipaddr.process(address).toString() : undefined;
}

/** Length of an IPv6 network prefix (/64) in groups of 16 bits. A host can choose the rest of its address freely. */
const NETWORK_GROUPS = 4;

/**
 * Returns the key of every limit by address: an IPv4 address, or the /64 network of an IPv6 address, because one host
 * can use every address of its network.
 */
export function networkOf(address: string | undefined): string {
  const plain = plainAddress(address);
  if (plain === undefined || !plain.includes(':')) return plain ?? 'unknown';
  const groups = ipaddr.IPv6.parse(plain).parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
