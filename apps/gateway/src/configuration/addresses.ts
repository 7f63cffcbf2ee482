import { BlockList, isIP } from 'node:net';
import type { LintProblem } from '#baccarat';
import type { GatewayConfiguration, PortConfiguration } from './configuration.js';

const PORT_MAX = 65_535;

/** Returns the host and the port of an address such as `127.0.0.1:7301` or `[::1]:7301`. */
export function partsOf(address: string): { readonly host: string; readonly port: number } {
  const end = address.lastIndexOf(':');
  const host = address.slice(0, end).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(address.slice(end + 1)) };
}

const portNumberProblems = (port: number, pointer: string): LintProblem[] =>
  port >= 1 && port <= PORT_MAX
    ? []
    : [{ pointer, problem: `names port ${port} and should name one from 1 to ${PORT_MAX}` }];

/** Returns the problems of an address to listen at. */
export function listenProblems(address: string, pointer: string): LintProblem[] {
  const { host, port } = partsOf(address);
  const ofHost =
    isIP(host) === 0 ? [{ pointer, problem: `"${host}" is not the IP address of a machine` }] : [];
  return [...ofHost, ...portNumberProblems(port, pointer)];
}

/** Returns the problems of the addresses in the port of device `i`. */
export function portProblems(port: PortConfiguration, i: number): LintProblem[] {
  const at = `/devices/${i}/port`;
  if ('serial' in port) return [];
  if ('connect' in port) return portNumberProblems(partsOf(port.connect).port, `${at}/connect`);
  const wrong = listenProblems(port.listen, `${at}/listen`);
  if (wrong.length > 0) return wrong;
  if (port.from === undefined)
    return isLoopback(partsOf(port.listen).host)
      ? []
      : [
          {
            pointer: `${at}/from`,
            problem:
              'is missing: a port that other machines reach needs the addresses of its devices, because the protocol has no secret',
          },
        ];
  return port.from.flatMap((network, n) =>
    isNetwork(network)
      ? []
      : [
          {
            pointer: `${at}/from/${n}`,
            problem: `"${network}" is not an IP address or a network, such as "10.0.7.0/28"`,
          },
        ],
  );
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (host: string): boolean =>
  LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');

function isNetwork(network: string): boolean {
  const [address = '', bits] = network.split('/');
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns a problem for each port that an earlier part of the configuration has already. */
export function portsUsedTwice({ devices, health }: GatewayConfiguration): LintProblem[] {
  const used = [
    ...devices.map(({ port }, i) => usedPort(port, `/devices/${i}/port`)),
    ...(health ? [{ pointer: '/health/listen', port: health.listen }] : []),
  ];
  return used.flatMap(({ pointer, port }, i) => {
    const first = used.findIndex((each) => each.port === port);
    return first < i
      ? [{ pointer, problem: `"${port}" is used at ${used[first]?.pointer} already` }]
      : [];
  });
}

function usedPort(port: PortConfiguration, at: string) {
  if ('serial' in port) return { pointer: `${at}/serial`, port: port.serial };
  if ('connect' in port) return { pointer: `${at}/connect`, port: port.connect };
  return { pointer: `${at}/listen`, port: port.listen };
}
