import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { asError, errorCode } from '#process';
import { Refusal } from '../../refusal.js';
import { Arrival, LINGER_MS, type DevicePort, type PortEvents } from './port.js';

const PACKAGE = '@lydell/node-pty';
/** How often the port looks whether somebody has it open, and whether bytes came. */
const LOOK_MS = 5;
const READ_BYTES = 4_096;

/** The part of the package that makes a pair of terminals without a program in one of them. */
interface Native {
  open(
    columns: number,
    rows: number,
  ): { readonly master: number; readonly slave: number; readonly pty: string };
}

/**
 * Makes a serial line of software. A gateway opens its path. Throws `Refusal` if the optional
 * package for it is not installed, or if the system has no such lines.
 */
export function ptyPort(events: PortEvents): DevicePort {
  const { master, slave, pty: path } = openPair();
  // What is sent is bytes: no echo, and no character with a meaning for the terminal.
  const { status } = spawnSync('stty', ['raw', '-echo'], { stdio: [slave, 'ignore', 'ignore'] });
  closeSync(slave);
  if (status !== 0) throw new Refusal('--pty: stty cannot make the line raw');
  return new Pty(master, path, events);
}

function openPair(): ReturnType<Native['open']> {
  try {
    const loaded = createRequire(import.meta.url)(`${PACKAGE}/requireBinary`) as {
      requireBinary(name: string): Native;
    };
    return loaded.requireBinary('pty.node').open(80, 24);
  } catch (error) {
    throw new Refusal(
      `--pty: needs the optional package ${PACKAGE} and a system with pseudoterminals; use --listen instead (${asError(error).message.split('\n')[0] ?? ''})`,
    );
  }
}

/** What a look at the line showed. */
type Seen = 'nobody' | 'somebody';

/** A serial line of software that drops its bytes while nobody has it open. */
class Pty implements DevicePort {
  private readonly arrival = new Arrival();
  private isIn = true;
  private seen: Seen = 'nobody';
  private readonly buffer = Buffer.alloc(READ_BYTES);
  private readonly timer;

  constructor(
    private readonly master: number,
    readonly address: string,
    private readonly events: PortEvents,
  ) {
    this.timer = setInterval(() => {
      try {
        this.look();
      } catch (error) {
        clearInterval(this.timer);
        events.failed(asError(error));
      }
    }, LOOK_MS);
  }

  get opened(): Promise<void> {
    return this.arrival.stayed;
  }

  write(bytes: Uint8Array): void {
    this.look();
    if (this.seen === 'nobody' || !this.isIn) return;
    try {
      writeSync(this.master, bytes);
    } catch (error) {
      // A reader that takes nothing loses what does not fit, as at a real line.
      if (errorCode(error) !== 'EAGAIN') throw error;
    }
  }

  setCable(isIn: boolean): void {
    this.isIn = isIn;
  }

  async close(): Promise<void> {
    // The system drops what its reader has not taken when the line closes.
    if (this.seen === 'somebody') await pause(LINGER_MS);
    clearInterval(this.timer);
    this.arrival.left();
    closeSync(this.master);
  }

  /** Reads what came, and notes whether somebody has the line open. */
  private look(): void {
    for (;;) {
      const read = this.read();
      if (typeof read === 'string') {
        if (read === 'nobody' && this.seen === 'somebody') this.forgetUnread();
        if (read === 'somebody') this.arrival.came();
        else this.arrival.left();
        this.seen = read;
        return;
      }
      if (this.isIn) this.events.heard(Uint8Array.from(this.buffer.subarray(0, read)));
    }
  }

  /** Returns the number of bytes read, or who is there if none came. */
  private read(): number | Seen {
    try {
      return readSync(this.master, this.buffer) || 'nobody';
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return 'somebody';
      if (errorCode(error) === 'EIO') return 'nobody';
      throw error;
    }
  }

  /** Takes what the last reader left, so that the next one does not find it. */
  private forgetUnread(): void {
    const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
    const line = openSync(this.address, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      while (readSync(line, this.buffer) > 0);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
    } finally {
      closeSync(line);
    }
  }
}
