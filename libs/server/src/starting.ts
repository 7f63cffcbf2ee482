import { LogAway, openLog, type EventLog, type LogSettings } from '#event-log';
import { asError, retryWhileAway } from '#process';
import { onceReachable, type Reaching } from '#read-model';
import type { ServerLogger } from './server-logger.js';

/** What a start waits for, and the error that says so. */
export interface StartWait {
  readonly what: 'PostgreSQL' | 'Kafka';
  readonly error: string;
}

/** How long a command waits for PostgreSQL or Kafka. */
const COMMAND_MS_MAX = 120_000;

/**
 * The start of a program. Its parts are tried again while PostgreSQL or Kafka is away: without end
 * by default, because an outage ends no server. Logs each new reason once.
 */
export class Start {
  private waited: StartWait | undefined;

  constructor(
    private readonly logger: ServerLogger,
    private readonly forMs = Number.POSITIVE_INFINITY,
  ) {}

  /** Returns the start of a command that somebody waits for: it gives up after two minutes. */
  static ofCommand(logger: ServerLogger): Start {
    return new Start(logger, COMMAND_MS_MAX);
  }

  /** What the start waits for; undefined unless its last try failed. */
  get waitsFor(): StartWait | undefined {
    return this.waited;
  }

  /** How parts of a start that need PostgreSQL are tried again. */
  get reaching(): Required<Reaching> {
    return {
      onRetry: (why) => this.retries({ what: 'PostgreSQL', error: why.message }),
      forMs: this.forMs,
    };
  }

  /** Runs a part that needs PostgreSQL and is safe to repeat. */
  async withDatabase<T>(work: () => Promise<T>): Promise<T> {
    return this.done(await onceReachable(work, this.reaching));
  }

  /** Opens the log. Logs what an operator should know of what its client handled itself. */
  async openLog(settings: LogSettings): Promise<EventLog> {
    const open = (): Promise<EventLog> =>
      openLog(
        settings,
        (notice) => void this.logger.warn({ message: 'event log warning', notice }),
      );
    if (settings.kind === 'postgres') return this.withDatabase(open);
    const opened = await retryWhileAway(open, {
      isAway: (thrown) => thrown instanceof LogAway,
      onRetry: (why) => this.retries({ what: 'Kafka', error: asError(why).message }),
      forMs: this.forMs,
    });
    return this.done(opened);
  }

  private retries(wait: StartWait): void {
    this.waited = wait;
    const { what, error } = wait;
    this.logger.error({ message: `retrying start: ${what} cannot be reached`, error });
  }

  private done<T>(value: T): T {
    this.waited = undefined;
    return value;
  }
}
