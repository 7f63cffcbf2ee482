import { blockOf, splitArray, type Block } from '#audit';
import { Problem } from '../../problems/problems.js';
import { EVENTS_MAX, type EventForm } from './event-form.js';

/** A part of a body that holds whole events. */
export interface Chunk {
  readonly block: Block;
  /**
   * Three numbers for each event: its position in the request, from 1, and where it begins and ends
   * in the block.
   */
  readonly events: readonly number[];
}

/**
 * About how many bytes a chunk has. Longer strings cost more, and other requests get a turn between
 * chunks.
 */
const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Yields the events of a body, a chunk at a time. Throws a problem if the body as a whole does not
 * have its form.
 */
export function* chunksOf(form: EventForm, body: Buffer): Generator<Chunk> {
  switch (form) {
    case 'event':
      yield { block: blockAt(body, 0, body.length), events: [1, 0, body.length] };
      return;
    case 'lines':
      yield* chunksOfLines(body);
      return;
    case 'batch':
      yield* chunksOfBatch(body);
  }
}

/** Lines end in LF or CRLF. The last one needs no end. Empty lines are numbered and skipped. */
function* chunksOfLines(body: Buffer): Generator<Chunk> {
  let line = 0;
  for (let at = 0; at < body.length;) {
    const end = endOfLines(body, at);
    const block = blockAt(body, at, end);
    const events: number[] = [];
    for (let from = 0; from < block.text.length;) {
      if (block.bytes[from] === LF) {
        line += 1;
        from += 1;
        continue;
      }
      const next = block.text.indexOf('\n', from);
      const stop = next < 0 ? block.text.length : next;
      const to = stop > from && block.bytes[stop - 1] === CR ? stop - 1 : stop;
      line += 1;
      if (to > from) events.push(line, from, to);
      from = stop + 1;
    }
    yield { block, events };
    at = end;
  }
}

/**
 * Returns where a chunk of whole lines that begins at `at` ends: after at most `CHUNK_BYTES`, or
 * after one line if that is longer.
 */
function endOfLines(body: Buffer, at: number): number {
  if (body.length - at <= CHUNK_BYTES) return body.length;
  const last = body.lastIndexOf(LF, at + CHUNK_BYTES - 1);
  if (last >= at) return last + 1;
  const next = body.indexOf(LF, at + CHUNK_BYTES);
  return next < 0 ? body.length : next + 1;
}

function* chunksOfBatch(body: Buffer): Generator<Chunk> {
  const split = splitArray(body, EVENTS_MAX);
  if (split.is === 'too-many') throw tooMany(EVENTS_MAX);
  if (split.is === 'no-array')
    throw new Problem(
      'malformed-request',
      `A batch must be a JSON array of events: this ${split.reason}.`,
    );
  const { ranges } = split;
  for (let i = 0; i < ranges.length;) {
    const start = ranges[i] as number;
    const first = i;
    let end = start;
    while (i < ranges.length && (i === first || (ranges[i + 1] as number) - start <= CHUNK_BYTES)) {
      end = ranges[i + 1] as number;
      i += 2;
    }
    const events: number[] = [];
    for (let k = first; k < i; k += 2)
      events.push(k / 2 + 1, (ranges[k] as number) - start, (ranges[k + 1] as number) - start);
    yield { block: blockAt(body, start, end), events };
  }
}

/** Returns the problem of a request with more than this many events. */
export const tooMany = (most: number): Problem =>
  new Problem('too-large', `Such a request may have at most ${most} events.`);

function blockAt(body: Buffer, from: number, to: number): Block {
  return blockOf(
    from === 0 && to === body.length ? body : body.subarray(from, to),
    body.toString('latin1', from, to),
  );
}
