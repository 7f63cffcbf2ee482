import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The groups of an IPv6 address that name a network: the first 64 bits. */
const NETWORK_GROUPS = 4;

/**
 * Returns the address under which attempts are counted: an IPv4 address as it is, also one mapped
 * into IPv6, and of an IPv6 address its /64, because one subscriber has all addresses of it. A port
 * after the address, which some proxies add, does not count. Any other text is `(unreadable)`.
 */
export function countedAddress(text: string): string {
  const bare = withoutPort(text.trim());
  if (isIP(bare) === 0) return '(unreadable)';
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address.toString();
  const groups = (address as ipaddr.IPv6).parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
