import type { Observation } from '#devices';
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
  const outside = { write: () => undefined, randomDigits: (count: number) => '0'.repeat(count) };
  const side = protocolSide(device, NEW_DESK, outside);
  const up = (): number => performance.now() / 1_000;
  const show = (observations: readonly Observation[]): void =>
    observations.forEach((each) => print(`${name}  ${inWords(each)}`));
  const listener: PortListener = {
    opened: () => {
      print(`${name}  the link is there`);
      show(side.opened(up()));
    },
    bytes: (bytes, at) => show(side.feed(bytes, at)),
    lost: (reason) => {
      print(`${name}  the link is lost: ${reason}`);
      side.lost();
    },
  };
  return { listener, tick: () => show(side.feed(new Uint8Array(), up())) };
}

/** Returns an observation with its bytes, on one line. */
function inWords({ kind, fields, raw, integrity }: Observation): string {
  const bytes = raw === '' ? '-' : (raw.match(/../g) ?? []).join(' ');
  return `${bytes}  ${integrity}  ${kind}  ${JSON.stringify(fields)}`;
}
