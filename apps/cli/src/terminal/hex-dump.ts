import { StringDecoder } from 'node:string_decoder';
import { visible } from '#process';

const ROW_BYTES = 16;
const HEX_WIDTH = ROW_BYTES * 3 - 1;

/**
 * Renders bytes for people, 16 on a line: their offset, each byte in hexadecimal digits, and the
 * text that they are in UTF-8. Characters that a reader does not see are escaped. Bytes that are
 * not text are shown as U+FFFD. A character is shown on the line of its last byte.
 */
export function hexDump(bytes: Uint8Array): string[] {
  const decoder = new StringDecoder('utf8');
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += ROW_BYTES) {
    const row = bytes.subarray(at, at + ROW_BYTES);
    const digits = [...row].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = at + ROW_BYTES < bytes.length ? decoder.write(row) : decoder.end(row);
    lines.push(
      `${at.toString(16).padStart(8, '0')}  ${digits.padEnd(HEX_WIDTH)}  ${visible(text)}`,
    );
  }
  return lines;
}
