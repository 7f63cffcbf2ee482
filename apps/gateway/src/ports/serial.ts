import { stat } from 'node:fs/promises';
import type { SerialPort } from 'serialport';
import { asError, Refusal } from '#process';
import type { PortConfiguration } from '../configuration/configuration.js';
import type { Link } from './links.js';
import { NoLink } from './no-link.js';
import { PortHeld } from './port-held.js';

/** A serial port in the configuration. */
type SerialConfiguration = Extract<PortConfiguration, { readonly serial: string }>;

/** How often an open port looks whether its device file is still there. */
const LOOK_MS = 1_000;

/**
 * Opens a serial port: 8 data bits, no parity, 1 stop bit, no flow control, locked. Throws `NoLink`
 * if its device cannot be opened, `PortHeld` if another process has it, and `Refusal` if this
 * machine has no binding to serial ports.
 */
export async function dialSerial({ serial, baud }: SerialConfiguration): Promise<Link> {
  const { SerialPort } = await binding(serial);
  const device = await deviceAt(serial);
  const port = new SerialPort({
    path: serial,
    baudRate: baud,
    dataBits: 8,
    parity: 'none',
    stopBits: 1,
    rtscts: false,
    xon: false,
    xoff: false,
    lock: true,
    autoOpen: false,
  });
  await new Promise<void>((resolve, reject) =>
    port.open((error) => (error ? reject(notOpened(serial, error)) : resolve())),
  );
  return linkOver(port, device);
}

/** Loads serialport for the first serial port only, since not every machine can load it. */
async function binding(path: string): Promise<typeof import('serialport')> {
  try {
    return await import('serialport');
  } catch (error) {
    throw new Refusal(
      `${path}: serial ports cannot be used on this machine (${asError(error).message})`,
    );
  }
}

/** The binding has no error codes, only these messages. */
function notOpened(path: string, { message }: Error): Error {
  if (/Cannot lock port|Device or resource busy/.test(message))
    return new PortHeld(`${path}: another process holds this serial port`);
  if (message.includes('No such file or directory')) return new NoLink(`${path}: no such device`);
  if (message.includes('Permission denied'))
    return new NoLink(
      `${path}: permission denied (the user of the gateway must be in the group of the device file, usually dialout)`,
    );
  return new NoLink(`${path}: cannot be opened (${message})`);
}

/** Returns the link over an open port. It ends when the device goes. */
function linkOver(port: SerialPort, device: string | undefined): Link {
  const { path } = port;
  let end: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  const shut = new Promise<void>((resolve) => port.once('close', () => resolve()));
  port.once('close', (error: Error | null) =>
    end(`${path}: the device was unplugged (${error?.message ?? 'it was closed'})`),
  );
  port.on('error', ({ message }) => end(`${path}: ${message}`));
  // The binding notices that a device went only while it waits for bytes. If it reads just then, it
  // gets 0 bytes and reads again, forever.
  const watch = setInterval(() => {
    void deviceAt(path).then((now) => {
      if (now !== device) end(`${path}: the device was unplugged (its device file is gone)`);
    });
  }, LOOK_MS);
  const close = async (): Promise<void> => {
    end(`${path}: closed`);
    if (port.isOpen) await new Promise<void>((resolve) => port.close(() => resolve()));
    else if (port.closing) await shut;
  };
  void ended.then(() => clearInterval(watch));
  return { stream: port, peer: null, ended, close };
}

/** Returns which device a path leads to, or undefined if it leads nowhere. */
const deviceAt = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino, rdev }) => `${dev} ${ino} ${rdev}`,
    () => undefined,
  );
