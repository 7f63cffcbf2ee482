import type { IPty } from '@lydell/node-pty';
import { eventually } from '../kit/eventually.js';

/** Loads the optional package of terminals. Returns undefined, loudly, if it is not there. */
export async function terminals(): Promise<typeof import('@lydell/node-pty') | undefined> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    process.stderr.write(
      `\nNOT TESTED: serial ports need @lydell/node-pty, which cannot be loaded (${String(error)})\n\n`,
    );
    return undefined;
  }
}

/** A serial line: a device file to open, and the device at the other end. */
export class SerialLine {
  /** What was written to the device. */
  heard = '';
  private readonly gone: Promise<void>;

  private constructor(
    private readonly terminal: IPty,
    /** The path of the device file. */
    readonly path: string,
  ) {
    terminal.onData((text) => (this.heard += text));
    this.gone = new Promise((resolve) => terminal.onExit(() => resolve()));
  }

  /** Makes a line with a device at its other end. */
  static async open({ spawn }: typeof import('@lydell/node-pty')): Promise<SerialLine> {
    const terminal = spawn('sh', ['-c', 'stty raw -echo; tty; exec sleep 1000'], {});
    let said = '';
    const saying = terminal.onData((text) => (said += text));
    await eventually('the name of the terminal', () => said.includes('\n'));
    saying.dispose();
    return new SerialLine(terminal, said.trim());
  }

  /** The device says something short. More than 4 KiB that nobody reads would block the test. */
  say(text: string): void {
    this.terminal.write(text);
  }

  /** Unplugs the device: its device file goes. Resolves once it has heard what was written. */
  unplug(): Promise<void> {
    this.terminal.kill('SIGKILL');
    return this.gone;
  }
}
