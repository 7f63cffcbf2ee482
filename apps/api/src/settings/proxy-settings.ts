import { isIP } from 'node:net';
import type { Environment } from '#process';

/**
 * The proxies whose `X-Forwarded-For` counts: the number of them in front of this server, or their
 * networks in CIDR. Undefined trusts nobody.
 */
export type ProxyTrust = number | readonly string[] | undefined;

const HOPS_MAX = 9;
const NETWORKS_MAX = 100;

/** Reads SHOEPRINT_TRUST_PROXY. Collects a fault in `env`. */
export function proxyTrust(env: Environment): ProxyTrust {
  const text = env.text('SHOEPRINT_TRUST_PROXY')?.trim();
  if (text === undefined) return undefined;
  if (/^[1-9]$/.test(text)) return Number(text);
  const networks = text.split(',').map((entry) => entry.trim());
  if (networks.length <= NETWORKS_MAX && networks.every(isNetwork)) return Object.freeze(networks);
  env.fault(
    'SHOEPRINT_TRUST_PROXY',
    `must be a number of proxies from 1 to ${HOPS_MAX}, or at most ${NETWORKS_MAX} addresses or networks in CIDR, separated by commas, such as 10.0.0.0/8,fd00::/8; a network may not hold every address`,
  );
  return undefined;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) return false;
  if (bits === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/**
 * Returns the setting of Fastify for these proxies. Fastify trusts nobody for a number, because it
 * cannot know who connects; the number is for a server that only its proxies can reach.
 */
export const trustedBy = (
  trust: ProxyTrust,
): boolean | string[] | ((address: string, hop: number) => boolean) => {
  if (trust === undefined) return false;
  return typeof trust === 'number' ? (_, hop) => hop < trust : [...trust];
};
