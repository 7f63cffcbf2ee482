// Reads a file in the same way for every contestant: 64 KiB at a time, each line as a range of
// bytes and of ISO 8859-1 text. Larger pieces are slower: V8 allocates strings over 128 KiB one by
// one, outside the young generation.
import { closeSync, openSync, readSync } from 'node:fs';

const PIECE = 1 << 16;

/** Calls `line(bytes, text, from, to, isNewBlock)` for every line of a file, in order. */
export function eachLine(file, line) {
  const fd = openSync(file, 'r');
  const buffer = Buffer.alloc(2 * PIECE);
  let kept = 0;
  for (;;) {
    const read = readSync(fd, buffer, kept, PIECE, null);
    if (read === 0) break;
    const end = kept + read;
    const bytes = buffer.subarray(0, end);
    const text = bytes.latin1Slice(0, end);
    let from = 0;
    let fresh = true;
    for (let newline = bytes.indexOf(10, from); newline >= 0; newline = bytes.indexOf(10, from)) {
      line(bytes, text, from, newline, fresh);
      fresh = false;
      from = newline + 1;
    }
    buffer.copy(buffer, 0, from, end);
    kept = end - from;
  }
  closeSync(fd);
}
