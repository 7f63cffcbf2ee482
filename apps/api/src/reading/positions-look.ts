import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Counter } from 'prom-client';
import { DataSource } from 'typeorm';
import { asError } from '#process';
import { hasReached, positionsNow, type Positions } from '#read-model';
import { Metrics } from '../operation/metrics.js';
import { Problem } from '../problems/problems.js';
import { FOLLOWED } from '../settings/tokens.js';
import { LivePlay } from './live-play.js';

/** How long a reader of its own writes waits before it must ask again (contract section 7). */
const PATIENCE_MS = 2_000;
/** The most requests that wait for a position at once. */
const WAITING_MAX = 2_000;
/**
 * How often the positions are read at most while a request waits, and the part of the time that
 * looking takes while events are being recorded.
 */
const WAITING_LOOK_MS = 10;
const SHARE = 0.2;
/**
 * The most requests that are refused together because they waited too long, and when the next are.
 * Many that began together would otherwise all be answered, and ask again, in one turn.
 */
const REFUSED_AT_ONCE_MAX = 10;
const REFUSED_NEXT_MS = 5;
const AFTER_FAULT_MS = 1_000;

/** Takes the positions of a look, and returns after how many ms it needs the next. */
type Follower = (positions: Positions) => number;

interface Waiting {
  readonly wanted: Positions;
  /** When it has waited long enough, on the monotonic clock. */
  readonly until: number;
  readonly reached: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Looks how far the rows have followed the log, for everybody in this process who needs to know:
 * one query at a time, however many wait or follow, and none while nobody does.
 */
@Injectable()
export class PositionsLook implements OnModuleDestroy {
  private readonly logger = new Logger('stream');
  private readonly waiting = new Set<Waiting>();
  private readonly followers = new Set<Follower>();
  private readonly looks: Counter;
  private timer: NodeJS.Timeout | undefined;
  private patience: NodeJS.Timeout | undefined;
  private isLooking = false;
  /** When looking has rested, on the monotonic clock. */
  private restedAt = 0;

  constructor(
    @InjectDataSource(FOLLOWED) private readonly rows: DataSource,
    private readonly live: LivePlay,
    { registry }: Metrics,
  ) {
    this.looks = new Counter({
      name: 'shoeprint_position_looks_total',
      help: 'Queries for the positions of the rows, shared by all streams and waiting requests.',
      registers: [registry],
    });
  }

  /** Returns the current positions. */
  now(): Promise<Positions> {
    this.looks.inc();
    return positionsNow(this.rows);
  }

  /**
   * Calls `looked` with the positions after every look, until the returned function is called. The
   * next look comes when one of all who follow needs it, or a request waits.
   */
  follow(looked: Follower): () => void {
    this.followers.add(looked);
    this.soon(0);
    return () => void this.followers.delete(looked);
  }

  /**
   * Resolves once the rows have reached `wanted`. Throws the problem `not-yet-visible` if they do
   * not within two seconds or too many requests wait, and the error of the database if it fails.
   */
  async until(wanted: Positions): Promise<void> {
    if (this.waiting.size >= WAITING_MAX) throw notYetVisible();
    await new Promise<void>((resolve, reject) => {
      const entry: Waiting = {
        wanted,
        until: performance.now() + PATIENCE_MS,
        reached: () => {
          this.waiting.delete(entry);
          resolve();
        },
        failed: (error) => {
          this.waiting.delete(entry);
          reject(error);
        },
      };
      this.waiting.add(entry);
      this.patience ??= this.refuseIn(PATIENCE_MS);
      this.soon(0);
    });
  }

  /** Looks after `ms`, or earlier if a look is already due. Rests before, while events come. */
  private soon(ms: number): void {
    if (this.isLooking || (this.timer !== undefined && ms > 0)) return;
    clearTimeout(this.timer);
    const rest = this.restedAt - performance.now();
    this.timer = setTimeout(() => void this.look(), Math.max(ms, rest));
  }

  private async look(): Promise<void> {
    this.timer = undefined;
    this.isLooking = true;
    const began = performance.now();
    const wanted = await this.now().then(
      (positions) => this.found(positions),
      (error: unknown) => this.failed(error),
    );
    this.isLooking = false;
    const now = performance.now();
    this.restedAt = now + this.live.restAfter(now - began, SHARE);
    if (this.waiting.size > 0) this.soon(Math.min(WAITING_LOOK_MS, wanted));
    else if (this.followers.size > 0) this.soon(wanted);
  }

  /** Tells everybody. Returns after how many ms the next look is wanted, if anybody follows. */
  private found(positions: Positions): number {
    for (const each of this.waiting) if (hasReached(positions, each.wanted)) each.reached();
    const next = [...this.followers].map((looked) => looked(positions));
    return next.length === 0 ? WAITING_LOOK_MS : Math.min(...next);
  }

  /** Refuses some of those that have waited long enough. They are in the order of their coming. */
  private refuseLate(): void {
    const now = performance.now();
    let left = REFUSED_AT_ONCE_MAX;
    for (const each of this.waiting) {
      if (each.until > now || left-- === 0) break;
      each.failed(notYetVisible());
    }
    const [next] = this.waiting;
    this.patience = next && this.refuseIn(Math.max(REFUSED_NEXT_MS, next.until - now));
  }

  private refuseIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.refuseLate(), ms);
  }

  private failed(error: unknown): number {
    for (const each of this.waiting) each.failed(asError(error));
    if (this.followers.size > 0)
      this.logger.warn({
        message: 'could not read the positions; streams wait',
        error: asError(error).message,
      });
    return AFTER_FAULT_MS;
  }

  /** Ends the following. Requests that wait are still answered. */
  onModuleDestroy(): void {
    this.followers.clear();
    if (this.waiting.size > 0) return;
    clearTimeout(this.timer);
    clearTimeout(this.patience);
  }
}

const notYetVisible = (): Problem =>
  new Problem('not-yet-visible', undefined, { headers: { 'Retry-After': '1' } });
