import { blockCut, EVENT_BYTES_MAX, type Block } from '#audit';
import type { Bytes } from './log-source.js';

/**
 * Bytes per read. Half of it is not faster, and twice as much takes some 10 MB more memory (Node
 * 24, 350 MB of events).
 */
const BLOCK = 128 * 1024;
/** A longer line is never kept: it is refused, and the rest of it skipped. */
const LINE_MAX = 2 * EVENT_BYTES_MAX;
const CR = 0x0d;
const LF = 0x0a;

/** Takes the lines of a log. */
export interface LineTaker {
  /**
   * Takes the line `[from, to)` of `block`, without its ending and never empty. `block` is reused
   * for the next lines.
   */
  line(block: Block, from: number, to: number, number: number): void;
  /** Takes a line that is too long for an event. */
  tooLong(number: number): void;
  /**
   * Runs after each block. Returning `false` stops reading; a returned promise is awaited first.
   */
  goesOn(): boolean | Promise<boolean>;
}

/**
 * Reads lines one block at a time and carries an unfinished line to the front of the next block.
 * Lines end in LF or CRLF, and the last one may have no ending. Empty lines are numbered and
 * skipped. Uses the memory of one block.
 */
export async function readLines(bytes: Bytes, taker: LineTaker): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(BLOCK + LINE_MAX);
  const textOf = (_: Uint8Array, from: number, to: number): string =>
    buffer.toString('latin1', from, to);
  let held = 0;
  let number = 0;
  let tooLong = false;
  for (;;) {
    const read = await bytes.read(buffer, held, BLOCK);
    const filled = held + read;
    if (read === 0) break;
    const lines = buffer.subarray(0, filled);
    const block = blockCut(lines, textOf);
    let from = 0;
    for (let to = lines.indexOf(LF); to >= 0; to = lines.indexOf(LF, from)) {
      number += 1;
      if (tooLong) taker.tooLong(number);
      else offer(taker, block, [from, to], number);
      tooLong = false;
      from = to + 1;
    }
    held = tooLong ? 0 : filled - from;
    if (held > LINE_MAX) {
      tooLong = true;
      held = 0;
    }
    if (held > 0) buffer.copyWithin(0, from, filled);
    if (!(await taker.goesOn())) return;
  }
  if (tooLong) taker.tooLong(number + 1);
  else if (held > 0)
    offer(taker, blockCut(buffer.subarray(0, held), textOf), [0, held], number + 1);
}

function offer(
  taker: LineTaker,
  block: Block,
  [from, to]: readonly [from: number, to: number],
  number: number,
): void {
  const end = to > from && block.bytes[to - 1] === CR ? to - 1 : to;
  if (end > from) taker.line(block, from, end, number);
}
