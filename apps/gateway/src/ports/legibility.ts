import type { DeviceConfiguration, PortConfiguration } from '../configuration/configuration.js';

/** How much must have come, and for how long, before a line without a whole frame is a problem. */
const BYTES_MIN = 200;
const SECONDS_MIN = 10;

/** The baud rates that are usual for the devices of a protocol. */
const USUAL_BAUDS: Readonly<Record<DeviceConfiguration['protocol'], readonly number[]>> = {
  'angel-eye-ii-ex': [4_800, 9_600],
  'line-1': [115_200],
};

/**
 * Notices that bytes come from a device and none of its frames is whole, as with a wrong baud rate.
 * It has no clock: `up` is a monotonic time in seconds.
 */
export class Legibility {
  private bytes = 0;
  private firstUp = 0;
  private lastUp = 0;

  constructor(private readonly device: Pick<DeviceConfiguration, 'protocol' | 'port'>) {}

  /** Counts bytes that came, and the whole frames that were found with them. */
  heard(bytes: number, frames: number, up: number): void {
    if (frames > 0) this.bytes = 0;
    else if (bytes > 0) {
      if (this.bytes === 0) this.firstUp = up;
      this.bytes += bytes;
      this.lastUp = up;
    }
  }

  /**
   * Returns what may be wrong, in words, once 200 bytes have come over at least 10 seconds since
   * the last whole frame, or undefined.
   */
  problem(): string | undefined {
    const seconds = this.lastUp - this.firstUp;
    if (this.bytes < BYTES_MIN || seconds < SECONDS_MIN) return undefined;
    const { protocol, port } = this.device;
    return `${this.bytes} bytes came in ${Math.round(seconds)} s and no frame of ${protocol} fits: ${advice(port, USUAL_BAUDS[protocol])}`;
  }
}

function advice(port: PortConfiguration, usual: readonly number[]): string {
  if (!('serial' in port))
    return `check the baud rate at the device server or the sender (${usual.join(' or ')} is usual)`;
  const others = usual.filter((baud) => baud !== port.baud);
  if (others.length === 0)
    return `${port.baud} baud is usual, so check the device, its protocol and its cable`;
  return `try ${others.join(' or ')} baud instead of ${port.baud}`;
}
