import { NO_LINE, parseLine, readLines, type Observation, type ReadLine } from '#devices';
import type { DeviceConfiguration, GatewayConfiguration } from '../configuration/configuration.js';
import { NEW_DESK } from '../desk/record.js';
import { openPort, type Port, type PortListener } from '../ports/port.js';
import { protocolSide } from '../running/protocol-side.js';

const TICK_MS = 200;

/**
 * Prints what devices send, as hexadecimal digits and as what it means. Writes to no device and
 * records nothing.
 */
export async function listenTo(
  { devices }: GatewayConfiguration,
  print: (line: string) => void,
): Promise<{ close(): Promise<void> }> {
  const ports: Port[] = [];
  const timers: NodeJS.Timeout[] = [];
  const close = async (): Promise<void> => {
    timers.forEach(clearInterval);
    await Promise.all(ports.map((port) => port.close()));
  };
  try {
    for (const device of devices) {
      const { listener, tick } = shownBy(device, print);
      ports.push(await openPort(device.port, { writes: false }, listener));
      timers.push(setInterval(tick, TICK_MS));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/** Returns what prints a device, and what makes it notice silence. */
function shownBy(device: DeviceConfiguration, print: (line: string) => void) {
  const { name } = device;
  const say = (text: string): void => print(`${name}  ${text}`);
  const hearing = device.protocol === 'line-1' ? linesOf(say) : framesOf(device, say);
  const listener: PortListener = {
    opened: () => say('the link is there'),
    bytes: (bytes, at) => hearing.feed(bytes, at),
    lost: (reason) => {
      say(`the link is lost: ${reason}`);
      hearing.lost();
    },
  };
  return { listener, tick: () => hearing.feed(new Uint8Array(), performance.now() / 1_000) };
}

/** What prints the bytes of a device. */
interface Hearing {
  feed(bytes: Uint8Array, up: number): void;
  lost(): void;
}

function framesOf(device: DeviceConfiguration, say: (text: string) => void): Hearing {
  const outside = { write: () => undefined, randomDigits: (count: number) => '0'.repeat(count) };
  const side = protocolSide(device, NEW_DESK, outside);
  return {
    feed: (bytes, up) => side.feed(bytes, up).forEach((each) => say(inWords(each))),
    lost: () => side.lost(),
  };
}

/**
 * Prints each line by itself. The gateway's side of the protocol would wait for a device to say who
 * it is, which one that runs already does only if it is asked.
 */
function linesOf(say: (text: string) => void): Hearing {
  let open = NO_LINE;
  return {
    feed: (bytes, up) => {
      const read = readLines(open, bytes, up);
      open = read.open;
      read.lines.forEach((line) => say(lineInWords(line)));
    },
    lost: () => (open = NO_LINE),
  };
}

/** Returns a line with its bytes and what it says. */
function lineInWords({ text, is }: ReadLine): string {
  const bytes = spaced(Buffer.from(text, 'latin1').toString('hex'));
  const parsed = parseLine(text);
  if (is !== 'whole') return `${bytes}  damaged  ${is}`;
  if (parsed.is !== 'line') {
    const { is: how, problem } = parsed;
    return `${bytes}  ${how === 'damaged' ? how : 'ok'}  ${how}  ${JSON.stringify({ problem })}`;
  }
  const { type, ...fields } = parsed.line;
  return `${bytes}  ok  ${type}  ${JSON.stringify(fields)}`;
}

const spaced = (hex: string): string => (hex.match(/../g) ?? []).join(' ');

/** Returns an observation with its bytes, on one line. */
function inWords({ kind, fields, raw, integrity }: Observation): string {
  const bytes = raw === '' ? '-' : spaced(raw);
  return `${bytes}  ${integrity}  ${kind}  ${JSON.stringify(fields)}`;
}
