import { setTimeout as pause } from 'node:timers/promises';
import { nameOfTable, tableOfName, type PackageFault, type Sha256 } from '#evidence';
import type { EventLog } from '#event-log';
import type { ReadingState, SealReader, SealStore } from '#seal-store';
import { errorText, type Journal } from '#server';
import { alarmOf, type Alarms } from '../monitoring/alarms.js';
import type { SealerMetrics } from '../monitoring/sealer-metrics.js';
import { LogComparison, type LogRange, type RecordDifference } from './log-comparison.js';
import { SignedSealsCheck } from './signed-seals.js';
import { StoredTreesCheck } from './stored-trees.js';

/** New mismatches of a partition that are named one by one. Then it rests before it is read on. */
const NAMED_MAX = 100;
const RETRY_MS = 10_000;
/**
 * How long a partition rests after it was read whole, or after many mismatches: a small log is not
 * read without a pause, and alarms do not flood the log.
 */
const REST_MS = 60_000;
/** How often the progress of a pass is saved. */
const KEEP_MS = 2_000;
/** How often to look for something to read while everything rests. */
const LOOK_MS = 1_000;
/** Most ranges that wait to be read before everything else. */
const RANGES_MAX = 4_096;

/** What a check of the log works with. */
export interface LogCheckParts {
  readonly log: EventLog;
  readonly store: SealStore;
  readonly reader: SealReader;
  readonly sha256: Sha256;
  readonly origin: string;
  readonly alarms: Alarms;
  readonly journal: Journal;
  readonly metrics: SealerMetrics;
  /** How much is read again in a second, in bytes. */
  readonly readAgainBytes: number;
}

/**
 * Reads the log again and compares it with the leaves that were made of it: a closed gaming day at
 * once, and everything in turn, the partition first that was not read for longest. Each time all of
 * it was read, checks those leaves against the signed seals, so that a record and its stored hash
 * cannot be changed together. A difference is named and raises the alarm. Sealing goes on.
 */
export class LogCheck {
  private readonly ranges: LogRange[] = [];
  /** Until when partitions with many mismatches rest, by the clock of `performance`. */
  private readonly restsUntil = new Map<number, number>();
  /** How many partitions are read before the stored trees are checked. */
  private passesToTrees = 0;
  /** When the pace allows the next read, by the clock of `performance`. */
  private readAt = 0;

  constructor(private readonly parts: LogCheckParts) {}

  /** Reads these ranges before everything else, and checks the stored trees after them. */
  soon(ranges: readonly LogRange[]): void {
    this.ranges.push(...ranges.filter(({ from, to }) => to > from));
    this.ranges.splice(RANGES_MAX);
    this.passesToTrees = 0;
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
    this.parts.metrics.failed('read-again');
    this.parts.journal.error('retrying to reread the log', { error: errorText(error) });
    await this.rest(RETRY_MS, signal);
  }

  private async turn(signal: AbortSignal): Promise<void> {
    await this.countMismatches();
    const at = this.ranges.findIndex(({ partition }) => !this.isResting(partition));
    const range = this.ranges[at];
    if (range) {
      const from = await this.compare(range, signal, () => Promise.resolve());
      this.ranges.splice(at, 1, ...(from < range.to ? [{ ...range, from }] : []));
      return;
    }
    const states = await this.parts.store.reading.states();
    const [oldest] = states;
    if (typeof oldest?.ageMs === 'number')
      this.parts.metrics.readAgainAt(Date.now() - oldest.ageMs);
    if (this.passesToTrees <= 0) {
      await this.checkTrees(signal);
      this.passesToTrees = states.length;
      return;
    }
    const due = states.find((state) => isDue(state) && !this.isResting(state.partition));
    if (due) await this.pass(due, signal);
    else await this.rest(LOOK_MS, signal);
  }

  /** Reads the rest of a partition. */
  private async pass({ partition, next }: ReadingState, signal: AbortSignal): Promise<void> {
    const { reading } = this.parts.store;
    const position = (await this.parts.store.positions())[partition];
    const to = position?.next ?? 0;
    let keptAt = performance.now();
    const reached = await this.compare({ partition, from: next, to }, signal, async (read) => {
      if (performance.now() - keptAt < KEEP_MS) return;
      await reading.advance(partition, read, false);
      keptAt = performance.now();
    });
    if (signal.aborted) return;
    await reading.advance(partition, reached, reached >= to);
    this.passesToTrees -= 1;
  }

  private isResting(partition: number): boolean {
    return (this.restsUntil.get(partition) ?? 0) > performance.now();
  }

  /** Returns the offset up to which it has compared: the end of the range, unless it stopped. */
  private async compare(
    range: LogRange,
    signal: AbortSignal,
    onRead: (next: number) => Promise<void>,
  ): Promise<number> {
    const { log, reader, sha256 } = this.parts;
    const comparison = new LogComparison(log, reader, sha256);
    let named = 0;
    for await (const { next, bytes, differences } of comparison.compare(range)) {
      for (const difference of differences) named += await this.nameRecord(difference);
      await onRead(next);
      await this.paced(bytes, signal);
      if (named >= NAMED_MAX) this.restsUntil.set(range.partition, performance.now() + REST_MS);
      if (signal.aborted || named >= NAMED_MAX) return next;
    }
    return Math.max(range.from, range.to);
  }

  /** Names a mismatch, unless it was named before. Returns how many are new. */
  private async nameRecord(difference: RecordDifference): Promise<number> {
    const { store, alarms } = this.parts;
    const { partition, offset, name, record, sealed, found, line, goneTo } = difference;
    const isMany = goneTo !== undefined && goneTo > offset + 1;
    const alarm = alarmOf(found ? 'changed' : 'missing', {
      detail: found
        ? 'a record of the log is not the one that was sealed'
        : isMany
          ? `the log ends at offset ${offset}, and was sealed to offset ${goneTo}`
          : 'a record of the log cannot be read',
      partition,
      offset,
      ...(name !== '' && { of: tableOfName(name) ?? name }),
      ...(record !== null && { record }),
      ...(line !== undefined && { line }),
      ...(sealed && { sealed: sealed.toString('hex') }),
      ...(found && { found: Buffer.from(found).toString('hex') }),
    });
    if (!(await store.reading.keep(difference, alarm.line))) return 0;
    alarms.kept(alarm);
    await this.countMismatches();
    return 1;
  }

  /** Checks what is stored of the trees against the signed seals. */
  private async checkTrees(signal: AbortSignal): Promise<void> {
    const { reader, sha256, origin } = this.parts;
    const faults: PackageFault[] = [];
    const onFault = (fault: PackageFault): void => {
      if (fault.kind === 'altered' && faults.length < NAMED_MAX) faults.push(fault);
    };
    const pace = async (bytes: number): Promise<void> => {
      await this.paced(bytes, signal);
      signal.throwIfAborted();
    };
    const seals = await new SignedSealsCheck(reader, sha256, [], onFault).run(origin);
    if (seals) await new StoredTreesCheck({ reader, sha256, origin, onFault, pace }).run(seals);
    for (const fault of faults) await this.nameStored(fault);
  }

  private async nameStored(fault: PackageFault): Promise<void> {
    const { store, alarms } = this.parts;
    const { message, table, record, partition, offset } = fault;
    const isPlaced = partition !== undefined && offset !== undefined;
    if (isPlaced && table !== undefined && record !== undefined) {
      const mismatch = { partition, offset, name: nameOfTable(table), record };
      await store.reading.keep({ ...mismatch, sealed: null, found: null }, null);
      await this.countMismatches();
    }
    alarms.raise('changed', {
      detail: message,
      ...(table !== undefined && { of: table }),
      ...(record !== undefined && { record }),
      ...(isPlaced && { partition, offset }),
    });
  }

  private async countMismatches(): Promise<void> {
    const { store, metrics } = this.parts;
    metrics.mismatches.set(await store.reading.count());
  }

  /** Waits until the pace allows the next read. The time that reading took counts. */
  private async paced(bytes: number, signal: AbortSignal): Promise<void> {
    const forMs = (1_000 * bytes) / this.parts.readAgainBytes;
    this.readAt = Math.max(this.readAt + forMs, performance.now());
    await this.rest(Math.max(0, this.readAt - performance.now()), signal);
  }

  private async rest(ms: number, signal: AbortSignal): Promise<void> {
    await pause(ms, undefined, { signal }).catch(() => undefined); // stopping
  }
}

/** Whether a pass is under way, or none has ended within the last minute. */
const isDue = ({ next, ageMs }: ReadingState): boolean =>
  next > 0 || ageMs === null || ageMs >= REST_MS;
