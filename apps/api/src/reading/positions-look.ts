import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Counter } from 'prom-client';
import { DataSource } from 'typeorm';
import { asError } from '#process';
import { hasReached, positionsNow, type Positions } from '#read-model';
import { Metrics } from '../operation/metrics.js';
import { Problem } from '../problems/problems.js';
import { FOLLOWED } from '../settings/tokens.js';

/** How long a reader of its own writes waits before it must ask again (contract section 7). */
const PATIENCE_MS = 2_000;
/** The most requests that wait for a position at once. */
const WAITING_MAX = 2_000;
/** How often the positions are read while a request waits, and while only streams follow. */
const WAITING_LOOK_MS = 10;
const FOLLOWING_LOOK_MS = 25;
const AFTER_FAULT_MS = 1_000;

interface Waiting {
  readonly wanted: Positions;
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
  private readonly followers = new Set<(positions: Positions) => void>();
  private readonly looks: Counter;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(
    @InjectDataSource(FOLLOWED) private readonly rows: DataSource,
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

  /** Calls `looked` with the positions after every look, until the returned function is called. */
  follow(looked: (positions: Positions) => void): () => void {
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
      const patience = setTimeout(() => entry.failed(notYetVisible()), PATIENCE_MS);
      const leave = (): void => {
        clearTimeout(patience);
        this.waiting.delete(entry);
      };
      const entry: Waiting = {
        wanted,
        reached: () => {
          leave();
          resolve();
        },
        failed: (error) => {
          leave();
          reject(error);
        },
      };
      this.waiting.add(entry);
      this.soon(0);
    });
  }

  /** Looks after `ms`, or earlier if a look is already due. */
  private soon(ms: number): void {
    if (this.isLooking || (this.timer !== undefined && ms > 0)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), ms);
  }

  private async look(): Promise<void> {
    this.timer = undefined;
    this.isLooking = true;
    const after = await this.now().then(
      (positions) => this.found(positions),
      (error: unknown) => this.failed(error),
    );
    this.isLooking = false;
    if (this.waiting.size + this.followers.size > 0) this.soon(after);
  }

  private found(positions: Positions): number {
    for (const each of this.waiting) if (hasReached(positions, each.wanted)) each.reached();
    for (const looked of this.followers) looked(positions);
    return this.waiting.size > 0 ? WAITING_LOOK_MS : FOLLOWING_LOOK_MS;
  }

  private failed(error: unknown): number {
    for (const each of this.waiting) each.failed(asError(error));
    if (this.followers.size > 0)
      this.logger.warn({
        message: 'could not read the positions; streams wait',
        error: (error as Error).message,
      });
    return AFTER_FAULT_MS;
  }

  /** Ends the following. Requests that wait are still answered. */
  onModuleDestroy(): void {
    this.followers.clear();
    if (this.waiting.size === 0) clearTimeout(this.timer);
  }
}

const notYetVisible = (): Problem =>
  new Problem('not-yet-visible', undefined, { headers: { 'Retry-After': '1' } });
