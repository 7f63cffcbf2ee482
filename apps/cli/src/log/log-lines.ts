import { blockOf, EVENT_BYTES_MAX, type Block } from '#audit';
import type { Bytes } from './log-source.js';

/** How much is read at once: half of it is no faster, twice as much takes some 10 MB more (Node 24, 350 MB of events). */
const BLOCK = 128 * 1024;
/** A line longer than this is never kept: it is refused, and the rest of it passed over. */
const LINE_MAX = 2 * EVENT_BYTES_MAX;
const CR = 0x0d;

/** Takes the lines of a log. */
export interface LineTaker {
  /** The line `[from, to)` of `block`, its ending left out and never empty. `block` is used again for what follows. */
  line(block: Block, from: number, to: number, number: number): void;
  /** A line too long to be an event. */
  tooLong(number: number): void;
  /** A block is done. Reading stops where it says so, and waits where it has to be waited for. */
  goesOn(): boolean | Promise<boolean>;
}

/**
 * Reads lines one block at a time; what a block leaves unfinished is carried to the front of the next. Lines end in LF or
 * CRLF, the last one in nothing if need be; empty lines are numbered and passed over. Memory is the block's and no more.
 */
export async function readLines(bytes: Bytes, taker: LineTaker): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(BLOCK + LINE_MAX);
  let held = 0;
  let number = 0;
  let tooLong = false;
  for (;;) {
    const read = await bytes.read(buffer, held, BLOCK);
    const filled = held + read;
    if (read === 0) break;
    const text = buffer.toString('latin1', 0, filled);
    const block = blockOf(buffer.subarray(0, filled), text);
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      number += 1;
      if (tooLong) taker.tooLong(number);
      else offer(taker, block, from, to, number);
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
    offer(
      taker,
      blockOf(buffer.subarray(0, held), buffer.toString('latin1', 0, held)),
      0,
      held,
      number + 1,
    );
}

function offer(taker: LineTaker, block: Block, from: number, to: number, number: number): void {
  const end = to > from && block.bytes[to - 1] === CR ? to - 1 : to;
  if (end > from) taker.line(block, from, end, number);
}
