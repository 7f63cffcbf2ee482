/** Where an emulated device sends its bytes, and hears its gateway. */
export interface DevicePort {
  /** What a gateway opens: a path, or an address. */
  readonly address: string;
  /**
   * Resolves once the other side has come to stay. Who only tries the port, as
   * `gateway check --live` does, hears nothing.
   */
  readonly opened: Promise<void>;
  /** Sends bytes. Drops them if the other side is not there, as a cable does. */
  write(bytes: Uint8Array): void;
  /** Plugs the cable in or pulls it. A port that can show it to the other side does. */
  setCable(isIn: boolean): void;
  /** Closes the port once the other side has had what was sent, or after a second. */
  close(): Promise<void>;
}

/** What a port calls. */
export interface PortEvents {
  heard(bytes: Uint8Array): void;
  /** The port broke and does not come back. */
  failed(error: Error): void;
}

/** The most bytes that wait for a slow reader. What comes after them is dropped. */
export const WAITING_BYTES_MAX = 64 * 1024;
/** How long a port that closes waits for its reader. */
export const LINGER_MS = 1_000;
/** How long the other side must be there before it has come to stay. */
const STAY_MS = 500;

/** Notes when the other side of a port has come to stay. */
export class Arrival {
  readonly stayed: Promise<void>;
  private noteStayed: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor() {
    this.stayed = new Promise((resolve) => (this.noteStayed = resolve));
  }

  came(): void {
    this.timer ??= setTimeout(this.noteStayed, STAY_MS);
  }

  left(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
