import net, { BlockList, createServer, isIP, type Server, type Socket } from 'node:net';
import { partsOf } from '../configuration/addresses.js';
import type { PortConfiguration } from '../configuration/configuration.js';
import type { Opened } from './kept-port.js';
import type { Link, Links } from './links.js';
import { NoLink } from './no-link.js';
import { PortHeld } from './port-held.js';

type ConnectingConfiguration = Extract<PortConfiguration, { readonly connect: string }>;
type ListeningConfiguration = Extract<PortConfiguration, { readonly listen: string }>;

const CONNECT_MS = 5_000;
/**
 * How long a link is silent before the kernel probes whether the other machine is there. It then
 * probes once a second, and gives up after ten probes.
 */
const KEEP_ALIVE_MS = 10_000;

/** Connects to a server. Throws `NoLink` if that fails, takes over 5 seconds, or `stop` comes. */
export function dialTcp({ connect }: ConnectingConfiguration, stop: AbortSignal): Promise<Link> {
  const socket = net.connect(partsOf(connect));
  return new Promise<Link>((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
      socket.off('error', onError);
    };
    const fail = (reason: string): void => {
      settle();
      socket.destroy();
      reject(new NoLink(`${connect}: ${reason}`));
    };
    const onError = (error: Error): void => fail(wordsOf(error));
    const onStop = (): void => fail('the port was closed');
    const timer = setTimeout(() => fail(`no answer within ${CONNECT_MS / 1_000} s`), CONNECT_MS);
    stop.addEventListener('abort', onStop);
    socket.on('error', onError);
    socket.once('connect', () => {
      settle();
      resolve(linkOver(socket, connect));
    });
  });
}

/**
 * Listens for a device. Each connection from an allowed address becomes the link, since a device
 * that lost its power does not close its old one. Throws `PortHeld` if the address is in use, and
 * `NoLink` if it cannot be used now.
 */
export async function listenTcp(
  { listen, from }: ListeningConfiguration,
  links: Links,
): Promise<Opened> {
  const allowed = from && networksOf(from);
  const server = createServer((socket) => {
    const peer = peerOf(socket);
    if (allowed && !isAllowed(socket, allowed)) {
      socket.destroy();
      links.refused(peer, 'its address is not in "from"');
    } else links.take(linkOver(socket, peer));
  });
  await listening(server, listen);
  server.on('error', (error) => links.refused(listen, wordsOf(error))); // one was not accepted
  const ended = new Promise<string>((resolve) => {
    server.once('close', () => resolve(`${listen}: closed`));
  });
  const close = async (): Promise<void> => {
    server.close();
    await ended;
  };
  return { ended, close };
}

function listening(server: Server, listen: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      reject(
        error.code === 'EADDRINUSE'
          ? new PortHeld(`${listen}: another process listens there`)
          : new NoLink(`${listen}: ${wordsOf(error)}`),
      );
    server.once('error', fail);
    server.listen(partsOf(listen), () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function networksOf(from: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const network of from) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(bits), family);
  }
  return networks;
}

const isAllowed = ({ remoteAddress = '' }: Socket, networks: BlockList): boolean =>
  isIP(remoteAddress) !== 0 &&
  networks.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4');

/** Returns the other side's address and port. An IPv4 address that a listener on IPv6 sees is short. */
function peerOf({ remoteAddress = 'unknown', remotePort = 0 }: Socket): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}

/** Returns the link over a connection. It ends when either side closes it. */
function linkOver(socket: Socket, peer: string): Link {
  socket.setNoDelay();
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  const shut = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const ended = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(`${peer}: the other side closed the connection`));
    socket.on('error', (error) => resolve(`${peer}: ${wordsOf(error)}`));
    socket.once('close', () => resolve(`${peer}: closed`));
  });
  const close = (): Promise<void> => {
    socket.destroy();
    return shut;
  };
  return { stream: socket, peer, ended, close };
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the other side broke the connection off',
  EHOSTUNREACH: 'the other machine cannot be reached',
  ENETUNREACH: 'the network of the other machine cannot be reached',
  ENOTFOUND: 'the name of the machine is not known',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not listen there',
  ETIMEDOUT: 'the other machine no longer answers',
};

/** Returns what went wrong with a connection, in words, or in the system's own. */
const wordsOf = ({ code = '', message }: NodeJS.ErrnoException): string => WORDS[code] ?? message;
