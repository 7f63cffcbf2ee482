import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import net from 'node:net';
import { isCard } from '#baccarat';
import type { EmulatorStep } from '#devices';
import { asError } from '#process';
import { Refusal } from '../refusal.js';
import type { Address } from './address.js';

/** The longest command, and the most connections at a time. */
const COMMAND_MAX = 200;
const CONNECTIONS_MAX = 8;
/** How long a connection may be silent. */
const SILENT_MS_MAX = 600_000;

/** Where commands come from: an address of this machine, or the path of a socket. */
export type ControlAddress = Address | { readonly path: string };

/** What a command asks for. */
export type Command = EmulatorStep | { readonly is: 'quit' };

/** A card that is not read. */
const UNREAD = '??';
const HANDS = ['player', 'banker', 'burn', 'out'] as const;
const SWITCHES: Readonly<Record<string, Command>> = {
  'power off': { is: 'power', on: false },
  'power on': { is: 'power', on: true },
  'cable out': { is: 'cable', in: false },
  'cable in': { is: 'cable', in: true },
  quit: { is: 'quit' },
};

/** Reads a command, such as `draw 9S player`. Throws `Refusal` for anything else. */
function readCommand(text: string): Command {
  const words = text.trim().split(/\s+/);
  const command = SWITCHES[words.join(' ')];
  if (command !== undefined) return command;
  const [verb, card = '', hand = '', ...rest] = words;
  if (verb !== 'draw' || rest.length > 0)
    throw new Refusal(`must be draw CARD HAND, ${Object.keys(SWITCHES).join(', ')}`);
  if (card !== UNREAD && !isCard(card))
    throw new Refusal(`card: "${card}" is not a card (expected 9S, or ?? for one not read)`);
  const to = HANDS.find((each) => each === hand);
  if (to === undefined) throw new Refusal(`hand: "${hand}" must be one of ${HANDS.join(', ')}`);
  const data = { card: card === UNREAD ? null : card, to };
  return { is: 'report', event: { type: 'card-drawn', data } };
}

/**
 * Takes commands, one a line, and answers each with `ok` or with `refused:` and why. `take` throws
 * `Refusal` for a command that cannot be done. Resolves to a function that ends it.
 */
export async function takeCommands(
  at: ControlAddress,
  take: (command: Command) => void,
): Promise<() => void> {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.setTimeout(SILENT_MS_MAX, () => socket.destroy());
    serve(socket, take);
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.listen(at);
  await once(server, 'listening').catch((error: unknown) => {
    throw new Refusal(`--control: ${asError(error).message}`);
  });
  if ('path' in at) chmodSync(at.path, 0o600);
  return () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
}

function serve(socket: net.Socket, take: (command: Command) => void): void {
  let unfinished = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) socket.write(`${answer(line, take)}\n`);
    if (unfinished.length > COMMAND_MAX)
      socket.end(`refused: a command has at most ${COMMAND_MAX} characters\n`);
  });
}

function answer(line: string, take: (command: Command) => void): string {
  try {
    if (line.length > COMMAND_MAX)
      throw new Refusal(`a command has at most ${COMMAND_MAX} characters`);
    take(readCommand(line));
    return 'ok';
  } catch (error) {
    if (error instanceof Refusal) return `refused: ${error.message}`;
    throw error;
  }
}
