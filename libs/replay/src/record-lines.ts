import {
  blockOf,
  canonicalLine,
  contentOf,
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
      /** When the server received it, RFC 3339. */
      readonly received: string | undefined;
      readonly why?: undefined;
    }
  | { readonly event?: undefined; readonly why: string };

const LINE_FEED = 0x0a;

/** Yields the lines of a record. */
export function* linesOf(
  value: Uint8Array,
  decoder: Decoder,
): Generator<RecordLine, void, undefined> {
  const text = asciiOf(value) ?? latin1(value);
  const block = blockOf(value, text);
  for (let from = 0; from <= value.length;) {
    const end = value.indexOf(LINE_FEED, from);
    const to = end < 0 ? value.length : end;
    if (decoder.scanned(block, from, to))
      yield { event: { decoder, block, from, to }, received: receivedIn(text, to) };
    else yield explained(value.subarray(from, to), decoder);
    from = to + 1;
  }
}

/** Returns when the event of a canonical line was received: its last text, if it has stamps. */
const receivedIn = (text: string, to: number): string | undefined =>
  text[to - 2] === '"' ? text.slice(text.lastIndexOf('"', to - 3) + 1, to - 2) : undefined;

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
  const { content, received } = unstamped(line) ?? { content: line, received: undefined };
  // data of another type keeps the order of its sender, which only the text has
  const isCanonical = contentOf(event) === content || canonicalLine(content) === content;
  return isCanonical ? { event, received } : NOT_CANONICAL;
}

/** Returns the text of bytes that are all ASCII; undefined otherwise. */
function asciiOf(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return text.length === bytes.length ? text : undefined;
  } catch {
    return undefined;
  }
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const utf16 = new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be', {
  fatal: false,
  ignoreBOM: true,
});

/** Returns bytes as text with one character for each. */
const latin1 = (bytes: Uint8Array): string =>
  utf16.decode(new Uint8Array(new Uint16Array(bytes).buffer));
