import { blockOf, canonicalLine, contentOf, unstamped, type AnyEvent, type Decoder } from '#audit';

/** A line of a record: an event, or why the judges do not take it. */
export type RecordLine =
  | { readonly event: AnyEvent; readonly why?: undefined }
  | { readonly event?: undefined; readonly why: string };

const LINE_FEED = 0x0a;

/** Yields the lines of a record. */
export function* linesOf(
  value: Uint8Array,
  decoder: Decoder,
): Generator<RecordLine, void, undefined> {
  const block = blockOf(value, latin1(value));
  for (let from = 0; from <= value.length;) {
    const end = value.indexOf(LINE_FEED, from);
    const to = end < 0 ? value.length : end;
    const { event, faults } = decoder.decode(block, from, to);
    if (!event)
      yield { why: faults.map(({ pointer, reason }) => `${pointer} ${reason}`.trim()).join('; ') };
    else yield isCanonical(value.subarray(from, to), event) ? { event } : NOT_CANONICAL;
    from = to + 1;
  }
}

const NOT_CANONICAL: RecordLine = { why: 'the line is not canonical' };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns whether a well-formed line is written as the contract writes the event. */
function isCanonical(bytes: Uint8Array, event: AnyEvent): boolean {
  const line = utf8.decode(bytes);
  const content = unstamped(line)?.content ?? line;
  // data of another type keeps the order of its sender, which only the text has
  return contentOf(event) === content || canonicalLine(content) === content;
}

const CHUNK = 8_192;

/** Returns bytes as text with one character for each. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}
