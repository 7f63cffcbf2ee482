import { Injectable, Logger } from '@nestjs/common';
import { NotRecorded, OutcomeUnknown, type Appended, type Appending, EventLog } from '#event-log';
import { asError, within } from '#process';
import { Problem } from '../problems/problems.js';

/** The longest wait for an append. The log's own limits are shorter. */
const APPEND_MS_MAX = 30_000;
/** The longest wait for the head of a partition. */
const HEAD_MS_MAX = 3_000;
const RETRY_AFTER_S = 1;

/** Appends to the log for a request. A failure is a problem of that request. */
@Injectable()
export class LogAppends {
  private readonly logger = new Logger('ingest');

  constructor(private readonly log: EventLog) {}

  /** The number of partitions of the log. */
  get partitions(): number {
    return this.log.partitions;
  }

  /**
   * Resolves once the records are durable. Throws `not-recorded` if they are not appended, and
   * `outcome-unknown` if the log does not answer.
   */
  one(appending: Appending): Promise<Appended> {
    return this.append(appending).catch((error: unknown) => {
      throw this.failed([error], 0);
    });
  }

  /**
   * Resolves once the records of all are durable. Throws `not-recorded` if none is appended, and
   * `outcome-unknown` if some may be.
   */
  async all(appendings: readonly Appending[]): Promise<readonly Appended[]> {
    const outcomes = await Promise.allSettled(
      appendings.map((appending) => this.append(appending)),
    );
    const appended: Appended[] = [];
    const failures: unknown[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') appended.push(outcome.value);
      else failures.push(outcome.reason);
    }
    if (failures.length > 0) throw this.failed(failures, appended.length);
    return appended;
  }

  /** Resolves with the head of a partition. Throws `not-recorded` if the log does not say. */
  async head(partition: number): Promise<number> {
    try {
      return await within(HEAD_MS_MAX, this.log.head(partition));
    } catch (error) {
      throw this.failed([new NotRecorded(asError(error).message, { cause: error })], 0);
    }
  }

  /** Appends, or rejects with `OutcomeUnknown` after `APPEND_MS_MAX`. */
  private append(appending: Appending): Promise<Appended> {
    return within(APPEND_MS_MAX, this.log.append(appending), () => {
      return new OutcomeUnknown(`the log did not answer within ${APPEND_MS_MAX} ms`);
    });
  }

  /**
   * Returns `not-recorded` if every append rejected with `NotRecorded`, or else `outcome-unknown`,
   * after which the sender sends again.
   */
  private failed(failures: readonly unknown[], appended: number): Problem {
    for (const failure of failures)
      if (!(failure instanceof NotRecorded) && !(failure instanceof OutcomeUnknown))
        this.logger.error('unexpected error of the log', asError(failure).stack);
    const cause = failures[0];
    if (appended === 0 && failures.every((failure) => failure instanceof NotRecorded)) {
      return new Problem(
        'not-recorded',
        'The log does not accept events at the moment. Nothing of this request was recorded; send it again.',
        { headers: { 'Retry-After': String(RETRY_AFTER_S) }, cause },
      );
    }
    return new Problem(
      'outcome-unknown',
      'Some or all of this request may be recorded. Send the same request again: duplicates have no effect.',
      { headers: { 'Retry-After': String(RETRY_AFTER_S) }, cause },
    );
  }
}
