import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Positions } from '#read-model';
import { AskPositions } from './ask-changes.js';

/** How often the positions are read while somebody follows. All followers share a read. */
const LOOK_MS = 25;
const AFTER_FAULT_MS = 1_000;

/**
 * Notifies followers when the rows have moved on. Reads the database only while somebody follows.
 */
@Injectable()
export class PositionsWatch implements OnModuleDestroy {
  private readonly logger = new Logger('stream');
  private readonly followers = new Set<(positions: Positions) => void>();
  private timer: NodeJS.Timeout | undefined;
  private last = '';
  private isClosed = false;

  constructor(private readonly queries: QueryBus) {}

  /** The number of followers. */
  get count(): number {
    return this.followers.size;
  }

  /** Calls `moved` whenever a partition has moved on, until the returned function is called. */
  follow(moved: (positions: Positions) => void): () => void {
    this.followers.add(moved);
    this.later(0);
    return () => void this.followers.delete(moved);
  }

  /** Returns the current positions. */
  now(): Promise<Positions> {
    return this.queries.execute(new AskPositions());
  }

  private later(ms: number): void {
    if (this.isClosed || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.look().then(
        (after) => this.again(after),
        () => undefined,
      );
    }, ms);
  }

  private again(after: number): void {
    this.timer = undefined;
    if (this.followers.size > 0) this.later(after);
  }

  private async look(): Promise<number> {
    try {
      const positions = await this.now();
      const text = [...positions].join(';');
      if (text !== this.last) for (const moved of this.followers) moved(positions);
      this.last = text;
      return LOOK_MS;
    } catch (error) {
      this.logger.warn({
        message: 'could not read the positions; streams wait',
        error: (error as Error).message,
      });
      return AFTER_FAULT_MS;
    }
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.followers.clear();
  }
}
