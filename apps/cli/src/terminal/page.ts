import { once } from 'node:events';
import { EXIT } from '../refusal.js';

const PIECE = 64 * 1024;

/**
 * Returns the width of text in columns: the terminal's, between 80 and 100, or 100 without a
 * terminal.
 */
export const columns = (): number =>
  Math.min(100, Math.max(80, (process.stdout as { columns?: number }).columns ?? 100));

/** Buffers standard output and waits for slow readers. */
export class BufferedOutput {
  private text = '';

  /** Adds lines. A line must not end with a line break. */
  async lines(...lines: readonly string[]): Promise<void> {
    for (const line of lines) this.text += `${line}\n`;
    if (this.text.length >= PIECE) await this.flush();
  }

  /** Writes the rest of the buffer. */
  async flush(): Promise<void> {
    const { text } = this;
    this.text = '';
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  }
}

/**
 * Lets a reader such as `head` leave when it has seen enough. The exit code is then the one reached
 * so far.
 */
export function endQuietlyWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.clean);
      throw error;
    });
  }
}

/**
 * Wraps a text at spaces into lines of at most `width` characters. A longer word gets its own line.
 */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Formats a count with its noun: `1 finding`, `2 findings`, `1,234 findings`. */
export const counted = (count: number, what: string, several = `${what}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? what : several}`;
