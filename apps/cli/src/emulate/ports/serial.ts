import { once } from 'node:events';
import { SerialPort } from 'serialport';
import { asError, within } from '#process';
import { Refusal } from '../../refusal.js';
import { LINGER_MS, WAITING_BYTES_MAX, type DevicePort, type PortEvents } from './port.js';

/** Opens a serial port with 8 data bits, no parity, 1 stop bit. Throws `Refusal` if it cannot. */
export async function serialPort(
  path: string,
  baudRate: number,
  events: PortEvents,
): Promise<DevicePort> {
  const port = new SerialPort({ path, baudRate, autoOpen: false });
  port.open();
  await once(port, 'open').catch((error: unknown) => {
    throw new Refusal(`--port: ${asError(error).message.replace(/^Error: /, '')}`);
  });
  let isIn = true;
  port.on('data', (bytes: Uint8Array) => {
    if (isIn) events.heard(bytes);
  });
  port.on('error', (error) => events.failed(error));
  port.on('close', (error: Error | null) => {
    if (error) events.failed(new Refusal(`--port: ${path} is gone (${error.message})`));
  });
  return {
    address: path,
    opened: Promise.resolve(),
    write(bytes) {
      if (isIn && port.writableLength < WAITING_BYTES_MAX) port.write(bytes);
    },
    setCable(toIn) {
      isIn = toIn;
    },
    async close() {
      if (!port.isOpen) return;
      const drained = new Promise((resolve) => port.drain(resolve));
      // A reader that does not take the bytes must not keep the program from ending.
      await within(LINGER_MS, drained).catch(() => undefined);
      const closed = new Promise((resolve) => port.close(resolve));
      await within(LINGER_MS, closed).catch(() => undefined);
    },
  };
}
