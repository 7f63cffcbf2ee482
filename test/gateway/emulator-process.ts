import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '../kit/eventually.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `shoeprint emulate` in a process of its own. */
export class EmulatorProcess {
  said = '';
  code: number | null | undefined;
  private readonly child: ChildProcess;

  constructor(...words: readonly string[]) {
    this.child = spawn(process.execPath, ['apps/cli/bin/shoeprint.js', 'emulate', ...words], {
      cwd: ROOT,
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (this.said += String(text)));
    this.child.once('close', (code) => (this.code = code));
  }

  /** Returns where the device is: the first line that it prints. */
  async address(): Promise<string> {
    return eventually('the address of the device', () => {
      if (this.code !== undefined) throw new Error(`ended with ${this.code}: ${this.said}`);
      return /^(\/dev\/\S+|[\d.]+:\d+)$/m.exec(this.said)?.[1];
    });
  }

  /** Returns its exit code once it has ended. */
  async ended(): Promise<number | null> {
    await eventually('the end of the emulator', () => this.code !== undefined, 60_000);
    return this.code as number | null;
  }

  async close(): Promise<void> {
    if (this.code !== undefined) return;
    this.child.kill('SIGKILL');
    await eventually('the end of the emulator', () => this.code !== undefined);
  }
}
