import { setTimeout as pause } from 'node:timers/promises';
import { leafHash, nameOfTable, type Sha256 } from '#evidence';
import { BrokenLog, type EventLog, type StoredRecord } from '#event-log';
import type { LeafCursor, Mismatch, ReadingState, SealReader, SealStore } from '#seal-store';
import { errorText, type Journal } from '#server';
import type { Alarms } from '../monitoring/alarms.js';
import type { SealerMetrics } from '../monitoring/sealer-metrics.js';

/** What is read at once. */
const CHUNK_BYTES = 256 * 1024;
/** Tables of a partition whose leaves are kept at hand. */
const CURSORS_MAX = 2_000;
/** New mismatches of one pass over a partition that are named one by one. Then the pass ends. */
const NAMED_MAX = 100;
const RETRY_MS = 10_000;
/** A partition that was read whole rests for so long. */
const REST_MS = 3_600_000;
/** How often it is looked for something to read while everything rests. */
const LOOK_MS = 1_000;
/** Most ranges that wait to be read before everything else. */
const RANGES_MAX = 4_096;

/** Records of one partition: `from` to `to`, the last not included. */
export interface LogRange {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** What a check of the log works with. */
export interface LogCheckParts {
  readonly log: EventLog;
  readonly store: SealStore;
  readonly reader: SealReader;
  readonly sha256: Sha256;
  readonly alarms: Alarms;
  readonly journal: Journal;
  readonly metrics: SealerMetrics;
  /** How much is read again in a second, in bytes. */
  readonly readAgainBytes: number;
}

/**
 * Reads the log again and compares it with the leaves that were made of it: a closed gaming day at
 * once, and everything in turn, the partition first that was not read for longest. A difference is
 * named and raises the alarm. Sealing goes on.
 */
export class LogCheck {
  private readonly ranges: LogRange[] = [];
  private readonly cursors = new Map<string, LeafCursor>();

  constructor(private readonly parts: LogCheckParts) {}

  /** Reads these ranges before everything else. */
  soon(ranges: readonly LogRange[]): void {
    this.ranges.push(...ranges.filter(({ from, to }) => to > from));
    this.ranges.splice(RANGES_MAX);
  }

  /** Reads until `signal` is aborted. Never rejects: what fails is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        await this.turn(signal);
      } catch (error) {
        await this.failed(error, signal);
      }
  }

  private async failed(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.parts.metrics.failures.inc({ step: 'read-again' });
    this.parts.journal.error('retrying to read again', { error: errorText(error) });
    await this.rest(RETRY_MS, signal);
  }

  private async turn(signal: AbortSignal): Promise<void> {
    const { store, metrics } = this.parts;
    const range = this.ranges[0];
    if (range) {
      await this.check(range, signal, () => Promise.resolve());
      this.ranges.shift();
    } else {
      const states = await store.reading.states();
      const oldest = states[0]?.completedAt;
      if (oldest) metrics.readAgainAt(Date.parse(oldest));
      const due = states.find(isDue);
      if (due) await this.pass(due, signal);
      else await this.rest(LOOK_MS, signal);
    }
    metrics.mismatches.set(await store.reading.count());
  }

  /** Reads the rest of a partition. */
  private async pass({ partition, next }: ReadingState, signal: AbortSignal): Promise<void> {
    const { reading } = this.parts.store;
    const position = (await this.parts.store.positions())[partition];
    const to = position?.next ?? 0;
    await this.check({ partition, from: next, to }, signal, (read) =>
      reading.advance(partition, read, false),
    );
    if (!signal.aborted) await reading.advance(partition, to, true);
  }

  private async check(
    { partition, from, to }: LogRange,
    signal: AbortSignal,
    onRead: (next: number) => Promise<void>,
  ): Promise<void> {
    this.cursors.clear();
    let named = 0;
    for (let next = from; next < to && named < NAMED_MAX && !signal.aborted;) {
      const records = await this.read(partition, next);
      if (records === undefined) {
        named += await this.name({ partition, offset: next, found: null });
        next += 1;
      }
      for (const record of records ?? []) {
        if (record.offset >= to) break;
        if (!(await this.isSealed(record)))
          named += await this.name({ ...record, found: this.leafOf(record) });
        next = record.offset + 1;
      }
      await onRead(next);
      const bytes = (records ?? []).reduce((sum, { value }) => sum + value.length, 0);
      await this.rest((1_000 * bytes) / this.parts.readAgainBytes, signal);
    }
  }

  /** Returns the next records, or undefined if the one at this offset cannot be read. */
  private async read(
    partition: number,
    from: number,
  ): Promise<readonly StoredRecord[] | undefined> {
    const { log } = this.parts;
    try {
      const records = await log.read(partition, from, CHUNK_BYTES);
      return records[0]?.offset === from ? records : undefined;
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
    }
    try {
      // The fault may be of a later record.
      const records = await log.read(partition, from, 1);
      return records[0]?.offset === from ? records.slice(0, 1) : undefined;
    } catch (error) {
      if (error instanceof BrokenLog) return undefined;
      throw error;
    }
  }

  private leafOf({ value }: StoredRecord): Uint8Array {
    return leafHash(this.parts.sha256, value);
  }

  /** Returns whether a record is the one that was hashed from its place, for its table. */
  private async isSealed(record: StoredRecord): Promise<boolean> {
    const { partition, offset, key } = record;
    const cursor = await this.cursorOf(key, offset);
    for (let leaf = await cursor?.peek(); leaf; leaf = await cursor?.peek()) {
      if (leaf.place.offset > offset) return false;
      cursor?.pass();
      if (leaf.place.offset === offset && leaf.place.partition === partition)
        return leaf.hash.equals(this.leafOf(record));
    }
    return false;
  }

  /** Returns the cursor of a table, at this offset. A new one sees the records that came since. */
  private async cursorOf(key: string, offset: number): Promise<LeafCursor | undefined> {
    const kept = this.cursors.get(key);
    if (await kept?.peek()) return kept;
    if (this.cursors.size >= CURSORS_MAX) this.cursors.clear();
    const cursor = await this.parts.reader.cursor(nameOfTable(key), offset);
    if (cursor) this.cursors.set(key, cursor);
    return cursor;
  }

  /** Names a mismatch, unless it was named before. Returns how many are new. */
  private async name(fault: {
    readonly partition: number;
    readonly offset: number;
    readonly key?: string;
    readonly found: Uint8Array | null;
  }): Promise<number> {
    const { store, reader, alarms } = this.parts;
    const { partition, offset, key } = fault;
    const leaf = await reader.recordAt({ partition, offset });
    const name = leaf?.name ?? (key === undefined ? '' : nameOfTable(key));
    const found = fault.found && Buffer.from(fault.found);
    const mismatch: Mismatch = {
      partition,
      offset,
      name,
      record: leaf?.index ?? null,
      sealed: leaf?.hash ?? null,
      found,
    };
    if (!(await store.reading.keep(mismatch))) return 0;
    alarms.raise(found ? 'changed' : 'missing', {
      detail: found
        ? 'a record of the log is not the one that was sealed'
        : 'a record of the log cannot be read',
      partition,
      offset,
      ...(name !== '' && { of: name }),
      ...(leaf && { record: leaf.index, sealed: leaf.hash.toString('hex') }),
      ...(found && { found: found.toString('hex') }),
    });
    return 1;
  }

  private async rest(ms: number, signal: AbortSignal): Promise<void> {
    await pause(ms, undefined, { signal }).catch(() => undefined); // stopping
  }
}

/** Whether a partition was not read whole within the last hour. */
const isDue = ({ next, completedAt }: ReadingState): boolean =>
  next > 0 || completedAt === null || Date.now() - Date.parse(completedAt) >= REST_MS;
