import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The groups of an IPv6 address that name a network: the first 64 bits. */
const NETWORK_GROUPS = 4;

const UNREADABLE = '(unreadable)';
/** The most characters of an address: an IPv6 one with the name of an interface. */
const ADDRESS_LENGTH_MAX = 64;

/**
 * Returns the address of a request as the record and the log have it, without a port. A proxy may
 * pass on any text; one that is not an address becomes `(unreadable)`.
 */
export function addressShown(text: string): string {
  const bare = withoutPort(text.trim());
  return bare.length <= ADDRESS_LENGTH_MAX && isIP(bare) !== 0 ? bare : UNREADABLE;
}

/**
 * Returns the address under which attempts are counted: an IPv4 address as it is, also one mapped
 * into IPv6, and of an IPv6 address its /64, because one subscriber has all addresses of it. A port
 * after the address, which some proxies add, does not count. Any other text is `(unreadable)`.
 */
export function countedAddress(text: string): string {
  const bare = addressShown(text);
  if (bare === UNREADABLE) return bare;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address.toString();
  const groups = (address as ipaddr.IPv6).parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
