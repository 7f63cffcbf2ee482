import {
  blockCut,
  canonicalLine,
  contentOf,
  timeOf,
  unstamped,
  type AnyEvent,
  type Decoder,
  type Line,
} from '#audit';

/** A line of a record: an event, or why the judges do not take it. */
export type RecordLine =
  | {
      /** The bytes of its line if the scanner reads it, else an object. */
      readonly event: AnyEvent | Line;
      /** When the server received it, in milliseconds since 1970; NaN if the line does not say. */
      readonly received: number;
      readonly why?: undefined;
    }
  | { readonly event?: undefined; readonly why: string };

const LINE_FEED = 0x0a;
const NO_BYTES = new Uint8Array(0);

/** Reads the lines of one record after another. */
export class RecordLines {
  private value: Uint8Array = NO_BYTES;
  private block = blockCut(NO_BYTES, textOf);
  private at = 1;

  constructor(private readonly decoder: Decoder) {}

  /** Begins with the lines of a record. */
  open(value: Uint8Array): void {
    this.value = value;
    this.block = blockCut(value, textOf);
    this.at = 0;
  }

  /** Returns the next line of the record, or undefined after its last. */
  next(): RecordLine | undefined {
    const { value, block, decoder, at: from } = this;
    if (from > value.length) return undefined;
    const end = value.indexOf(LINE_FEED, from);
    const to = end < 0 ? value.length : end;
    this.at = to + 1;
    const scanner = decoder.scanned(block, from, to);
    return scanner
      ? { event: { decoder, block, from, to }, received: scanner.received() }
      : explained(value.subarray(from, to), decoder);
  }
}

const NOT_CANONICAL: RecordLine = { why: 'the line is not canonical' };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns a line that the scanner does not take. */
function explained(bytes: Uint8Array, decoder: Decoder): RecordLine {
  const { event, faults } = decoder.explain(bytes);
  if (event) return canonical(bytes, event);
  return { why: faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim()).join('; ') };
}

/** Returns a well-formed line if it is written as the contract writes the event. */
function canonical(bytes: Uint8Array, event: AnyEvent): RecordLine {
  const line = utf8.decode(bytes);
  const { content, received = '' } = unstamped(line) ?? { content: line };
  // data of another type keeps the order of its sender, which only the text has
  const isCanonical = contentOf(event) === content || canonicalLine(content) === content;
  return isCanonical ? { event, received: timeOf(received) ?? NaN } : NOT_CANONICAL;
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const utf16 = new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be', {
  fatal: false,
  ignoreBOM: true,
});

/** Returns a part of bytes as text with one character for each. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  const part = bytes.subarray(from, to);
  try {
    const text = utf8.decode(part);
    if (text.length === part.length) return text; // it is all ASCII, as nearly everything
  } catch {
    // it is not UTF-8
  }
  return utf16.decode(new Uint8Array(new Uint16Array(part).buffer));
}
