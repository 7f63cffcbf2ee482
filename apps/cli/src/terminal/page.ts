import { once } from 'node:events';
import { EXIT } from '../refusal.js';

const PIECE = 64 * 1024;

/** Columns to set text in: those of the terminal between 80 and 100, and 100 where there is none. */
export const columns = (): number => Math.min(100, Math.max(80, process.stdout.columns ?? 100));

/** What is printed on standard output, in pieces, waiting for a reader who is slower than we are. */
export class Page {
  private text = '';

  /** Adds lines; nothing of them holds a line break of its own at the end. */
  async lines(...lines: readonly string[]): Promise<void> {
    for (const line of lines) this.text += `${line}\n`;
    if (this.text.length >= PIECE) await this.flush();
  }

  /** Writes out what is left. */
  async flush(): Promise<void> {
    const { text } = this;
    this.text = '';
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  }
}

/** Lets a reader such as `head` leave when it has seen enough: the exit code is then the one already reached. */
export function endQuietlyWhenNobodyReads(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.clean);
      throw error;
    });
  }
}

/** Breaks a text at spaces into lines of at most `width` characters; a longer word has a line of its own. */
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

/** `1 finding`, `2 findings`, `1,234 findings`. */
export const counted = (count: number, what: string, several = `${what}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? what : several}`;
