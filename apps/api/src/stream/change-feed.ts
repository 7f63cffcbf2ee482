import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Counter } from 'prom-client';
import { asError } from '#process';
import { furthest, hasReached, type Change, type Positions } from '#read-model';
import { Metrics } from '../operation/metrics.js';
import { LivePlay } from '../reading/live-play.js';
import { PositionsLook } from '../reading/positions-look.js';
import { RESUMING_MAX } from '../settings/tokens.js';
import { AskChanges } from './ask-changes.js';
import { ChangeBatch } from './change-batch.js';
import { changedTable, type Viewer } from './views.js';

/** What is kept for readers who resume after a moment: this many changes, in this many batches. */
const RECENT_MAX = 5_000;
const RECENT_BATCHES_MAX = 200;
/** How long a read of changes that failed waits before the next. */
const AFTER_FAULT_MS = 1_000;
/** How often it looks whether there is something to read. */
const LOOK_MS = 25;
/**
 * The part of the time that reading takes while events are being recorded. The less often it reads,
 * the more of what a reader gets is in one write, and the less it takes from live play.
 */
const READING_SHARE = 0.05;
/** The same of writing, which rests after so many readers: about a millisecond. */
const WRITING_SHARE = 0.2;
const READERS_AT_ONCE = 64;

/** A reader of the stream, as what all readers share sees it. */
export interface StreamReader {
  readonly viewer: Viewer;
  /** All changes before these positions were written to it. Kept while it is not level. */
  since: Positions;
  /** Writes messages. Returns false, and writes nothing, if the reader has too many to take. */
  take(messages: Buffer): boolean;
  /** Called when `take` returned false. The reader is no longer level, and reads for itself. */
  fallsBehind(): void;
}

/** The level readers for whom every change looks the same. */
interface View {
  readonly viewer: Viewer;
  readonly readers: Set<StreamReader>;
}

/** A view that may see something of a batch, with those changes and its readers of that moment. */
interface Touched {
  readonly viewer: Viewer;
  readonly changes: readonly Change[];
  readonly readers: readonly StreamReader[];
}

/**
 * Follows the changes of the rows, once for all streams of this process. Each change is read and
 * formatted once, and written to every reader that may see its table. A reader is *level* if it has
 * everything that was fanned out. Others read for themselves until they are.
 */
@Injectable()
export class ChangeFeed implements OnModuleDestroy {
  private readonly logger = new Logger('stream');
  private readonly readers = new Set<StreamReader>();
  private readonly views = new Map<string, View>();
  private readonly viewsOf = new Map<string, Set<View>>();
  /** Readers that are level and began after `at`: they skip what they have. */
  private readonly ahead = new Set<StreamReader>();
  /** All changes before these positions were fanned out. Undefined while nobody follows. */
  private at: Positions | undefined;
  private recent: ChangeBatch[] = [];
  /** Level readers who have yet to get the newest batch, which is handed out some at a time. */
  private readonly due = new Set<StreamReader>();
  private isReading = false;
  private notBefore = 0;
  private unfollow: (() => void) | undefined;
  private readonly turns = new Turns(RESUMING_MAX);
  private readonly reads: Counter<'by'>;

  constructor(
    private readonly queries: QueryBus,
    private readonly look: PositionsLook,
    private readonly live: LivePlay,
    { registry }: Metrics,
  ) {
    this.reads = new Counter({
      name: 'shoeprint_stream_reads_total',
      help: 'Reads of changes: by all streams together ("shared") or by one that resumes ("own").',
      labelNames: ['by'],
      registers: [registry],
    });
    for (const by of ['shared', 'own']) this.reads.inc({ by }, 0);
  }

  /** The number of readers. */
  get count(): number {
    return this.readers.size;
  }

  /** Returns where a reader begins that names no position. */
  async now(): Promise<Positions> {
    return this.at ?? (await this.look.now());
  }

  /** Counts a reader until `leave`. `now` is where the sharing begins if it is the first. */
  join(reader: StreamReader, now: Positions): void {
    this.readers.add(reader);
    this.at ??= now;
    this.unfollow ??= this.look.follow((positions) => this.looked(positions));
  }

  /** Forgets a reader. When none is left, nothing is read. */
  leave(reader: StreamReader): void {
    this.readers.delete(reader);
    this.putOff(reader);
    if (this.readers.size === 0) this.rest();
  }

  /**
   * Makes a reader level, and returns true, unless it must first read for itself. What was fanned
   * out a moment ago is written to it.
   */
  admit(reader: StreamReader): boolean {
    const { at, recent } = this;
    if (at === undefined || !hasReached(reader.since, recent[0]?.from ?? at)) return false;
    for (const batch of recent) if (!this.bring(reader, batch)) return false;
    if (hasReached(at, reader.since)) this.putOn(reader);
    else this.ahead.add(reader);
    return true;
  }

  /** Returns the positions up to which a reader has been sent everything that it may see. */
  positionOf(reader: StreamReader): Positions {
    const isLevel = this.views.get(reader.viewer.key)?.readers.has(reader) === true;
    const fanned = this.due.has(reader) ? this.recent.at(-1)?.from : this.at;
    return (isLevel ? fanned : undefined) ?? reader.since;
  }

  /** Reads what a reader lacks, a part at a time, once it is its turn. `more` says if there is more. */
  async readFor(
    reader: StreamReader,
  ): Promise<{ readonly batch: ChangeBatch; readonly more: boolean }> {
    return this.turns.take(async () => {
      const { since, viewer } = reader;
      this.reads.inc({ by: 'own' });
      const { changes, positions, more } = await this.queries.execute(
        new AskChanges(since, viewer.tables === 'all' ? undefined : [...viewer.tables]),
      );
      return { batch: new ChangeBatch(since, changes, positions), more };
    });
  }

  /** Begins to read if there is something. Returns after how many ms to look again. */
  private looked(positions: Positions): number {
    const { at, isReading, notBefore } = this;
    const rest = notBefore - performance.now();
    if (rest > 0) return rest;
    if (at !== undefined && !isReading && !hasReached(at, positions)) this.read();
    return LOOK_MS;
  }

  private read(): void {
    this.isReading = true;
    this.readOn()
      .then((tookMs) => {
        this.notBefore = performance.now() + this.live.restAfter(tookMs, READING_SHARE);
      })
      .catch((error: unknown) => {
        this.notBefore = performance.now() + AFTER_FAULT_MS;
        this.logger.warn({
          message: 'could not read the changes; streams wait',
          error: asError(error).message,
        });
      })
      .finally(() => (this.isReading = false));
  }

  /** Reads and hands out all there is. Returns how many ms reading took. */
  private async readOn(): Promise<number> {
    let tookMs = 0;
    for (let isBehind = true; isBehind;) {
      const from = this.at;
      if (from === undefined) break;
      this.reads.inc({ by: 'shared' });
      const began = performance.now();
      const { changes, positions, more } = await this.queries.execute(new AskChanges(from));
      tookMs += performance.now() - began;
      // Everybody may have left during the read, and others have come.
      if (this.at !== from) break;
      await this.fanOut(new ChangeBatch(from, changes, positions));
      isBehind = more;
    }
    return tookMs;
  }

  /**
   * Writes a batch to everybody who may see something of it, to a few readers at a time. Events
   * come in meanwhile, and a write costs more time than anything else here.
   */
  private async fanOut(batch: ChangeBatch): Promise<void> {
    this.at = batch.to;
    this.keep(batch);
    const touched = this.touchedBy(batch);
    for (const { readers } of touched) for (const reader of readers) this.due.add(reader);
    for (const reader of this.ahead) {
      if (!this.bring(reader, batch)) {
        this.ahead.delete(reader);
        reader.fallsBehind();
      } else if (hasReached(batch.to, reader.since)) this.putOn(reader);
    }
    try {
      await this.writeToDue(batch, touched);
    } finally {
      for (const reader of this.due) this.leaveBehind(reader, batch);
    }
  }

  private async writeToDue(batch: ChangeBatch, touched: readonly Touched[]): Promise<void> {
    let written = 0;
    let began = performance.now();
    for (const { viewer, changes, readers } of touched) {
      const messages = Buffer.from(batch.render(viewer, changes));
      for (const reader of readers) {
        // Some left meanwhile.
        if (!this.due.has(reader)) continue;
        const own = batch.accuses(reader.viewer)
          ? Buffer.from(batch.render(reader.viewer, changes))
          : messages;
        if (own.length > 0 && !reader.take(own)) this.leaveBehind(reader, batch);
        this.due.delete(reader);
        written += 1;
        if (written % READERS_AT_ONCE > 0) continue;
        await this.live.rest(performance.now() - began, WRITING_SHARE);
        began = performance.now();
      }
    }
  }

  /** Lets a level reader who was not written a batch read for itself, from that batch on. */
  private leaveBehind(reader: StreamReader, batch: ChangeBatch): void {
    this.putOff(reader);
    reader.since = batch.from;
    reader.fallsBehind();
  }

  /** Returns the views that may see something of a batch, each with the changes at its tables. */
  private touchedBy({ changes }: ChangeBatch): Touched[] {
    const touched = new Map<View, Change[]>();
    for (const change of changes)
      for (const view of this.viewsOf.get(changedTable(change)) ?? []) {
        const those = touched.get(view);
        if (those) those.push(change);
        else touched.set(view, [change]);
      }
    const all: Map<View, readonly Change[]> = touched;
    for (const view of this.viewsOf.get(EVERY_TABLE) ?? []) all.set(view, changes);
    return [...all].map(([{ viewer, readers }, those]) => ({
      viewer,
      changes: those,
      readers: [...readers],
    }));
  }

  /** Writes to one reader what it lacks of a batch. Returns false if it cannot take it. */
  private bring(reader: StreamReader, batch: ChangeBatch): boolean {
    const { since } = reader;
    const lacking = batch.changes.filter(
      ({ partition, changed }) => changed > (since.get(partition) ?? 0),
    );
    const until = furthest(since, batch.to);
    const text = batch.render(reader.viewer, lacking, until);
    if (text !== '' && !reader.take(Buffer.from(text))) return false;
    reader.since = until;
    return true;
  }

  private keep(batch: ChangeBatch): void {
    this.recent.push(batch);
    let kept = this.recent.reduce((sum, { changes }) => sum + changes.length, 0);
    while (this.recent.length > 1 && (kept > RECENT_MAX || this.recent.length > RECENT_BATCHES_MAX))
      kept -= this.recent.shift()?.changes.length ?? 0;
  }

  private putOn(reader: StreamReader): void {
    this.ahead.delete(reader);
    const { viewer } = reader;
    let view = this.views.get(viewer.key);
    if (!view) {
      view = { viewer: { ...viewer, person: undefined }, readers: new Set() };
      this.views.set(viewer.key, view);
      for (const table of tablesOf(view)) {
        const views = this.viewsOf.get(table) ?? new Set();
        this.viewsOf.set(table, views.add(view));
      }
    }
    view.readers.add(reader);
  }

  private putOff(reader: StreamReader): void {
    this.ahead.delete(reader);
    this.due.delete(reader);
    const view = this.views.get(reader.viewer.key);
    if (!view?.readers.delete(reader) || view.readers.size > 0) return;
    this.views.delete(view.viewer.key);
    for (const table of tablesOf(view)) {
      const views = this.viewsOf.get(table);
      views?.delete(view);
      if (views?.size === 0) this.viewsOf.delete(table);
    }
  }

  private rest(): void {
    this.unfollow?.();
    this.unfollow = undefined;
    this.at = undefined;
    this.recent = [];
  }

  onModuleDestroy(): void {
    this.rest();
  }
}

/** The name under which `viewsOf` has views of all tables. No table's id is empty. */
const EVERY_TABLE = '';
const tablesOf = ({ viewer: { tables } }: View): Iterable<string> =>
  tables === 'all' ? [EVERY_TABLE] : tables;

/** Limits how much work is under way at once. The rest waits in order. */
class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
