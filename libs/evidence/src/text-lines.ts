import { base64Of, bytesOfBase64, textOfUtf8, utf8Of } from './bytes.js';
import { HASH_BYTES } from './cryptography.js';

/** Longest line of a text in bytes. */
export const LINE_BYTES_MAX = 64 * 1024;

/** Thrown for a text that is not what its format says. `line` counts from 1. */
export class FormatFault extends Error {
  override readonly name = 'FormatFault';

  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`line ${line}: ${problem}`);
  }
}

/** Returns the text of UTF-8 bytes. Throws a `FormatFault` at the line that is not UTF-8. */
export function strictText(bytes: Uint8Array): string {
  const text = textOfUtf8(bytes);
  if (text !== undefined) return text;
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const feed = bytes.indexOf(10, start);
    const end = feed < 0 ? bytes.length : feed + 1;
    if (textOfUtf8(bytes.subarray(start, end)) === undefined) break;
    start = end;
  }
  throw new FormatFault(line, 'is not UTF-8');
}

/** Reads a text line by line. Every line ends in a line feed and has no other control character. */
export class TextLines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(text: string) {
    if (!text.endsWith('\n')) {
      throw new FormatFault(text.split('\n').length, 'does not end in a line feed');
    }
    this.#lines = text.slice(0, -1).split('\n');
    this.#lines.forEach((line, at) => {
      if (line.length > LINE_BYTES_MAX || utf8Of(line).length > LINE_BYTES_MAX) {
        throw new FormatFault(at + 1, `has more than ${LINE_BYTES_MAX} bytes`);
      }

      if (/[\u0000-\u001F\u007F]/.test(line)) {
        throw new FormatFault(at + 1, 'has a control character');
      }
    });
  }

  /** Number of the line that was read last, from 1. */
  get line(): number {
    return this.#at;
  }

  get atEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** Returns the next line. At the end, throws a `FormatFault` that expected `what`. */
  next(what: string): string {
    const line = this.#lines[this.#at];
    this.#at += 1;
    if (line === undefined) throw this.fault(`is missing (expected ${what})`);
    return line;
  }

  /** Reads a line that must be `wanted`. */
  fixed(wanted: string): void {
    if (this.next(JSON.stringify(wanted)) !== wanted) {
      throw this.fault(`is not ${JSON.stringify(wanted)}`);
    }
  }

  /** Returns the words after `label` and a space, if the next line begins so; else reads nothing. */
  labelledIf(label: string): string | undefined {
    const line = this.#lines[this.#at];
    if (line === undefined || !line.startsWith(`${label} `)) return undefined;
    this.#at += 1;
    return line.slice(label.length + 1);
  }

  /** Returns the words after `label` and a space on the next line. */
  labelled(label: string): string {
    const words = this.labelledIf(label);
    if (words !== undefined) return words;
    this.next(`"${label} …"`);
    throw this.fault(`does not begin with "${label} "`);
  }

  /** Ends reading. Throws a `FormatFault` if a line is left. */
  end(): void {
    if (this.atEnd) return;
    this.#at += 1;
    throw this.fault('is one line too many');
  }

  /** Returns the fault of the line that was read last. */
  fault(problem: string): FormatFault {
    return new FormatFault(this.#at, problem);
  }

  /** Returns the whole number that a text of decimal digits without leading zeros stands for. */
  number(text: string): number {
    const number = decimalOf(text);
    if (number === undefined) throw this.fault(`${JSON.stringify(text)} is not a number`);
    return number;
  }

  /** Returns the hash that a text in base64 stands for. */
  hash(text: string): Uint8Array {
    const hash = hashOf(text);
    if (hash === undefined) {
      throw this.fault(`${JSON.stringify(text)} is not a hash of 32 bytes in base64`);
    }
    return hash;
  }
}

/** Returns the whole number that decimal digits without leading zeros stand for, else undefined. */
export function decimalOf(text: string): number | undefined {
  const number = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the hash of 32 bytes that standard base64 stands for, else undefined. */
export function hashOf(text: string): Uint8Array | undefined {
  const bytes = bytesOfBase64(text);
  return bytes?.length === HASH_BYTES ? bytes : undefined;
}

/** Returns a hash as the formats write it: standard base64. */
export function hashText(hash: Uint8Array): string {
  return base64Of(hash);
}
