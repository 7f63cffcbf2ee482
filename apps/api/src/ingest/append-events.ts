import { Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Decoder, houseFrom } from '#audit';
import { NotRecorded, OutcomeUnknown, type Appended, type Appending, EventLog } from '#event-log';
import { within } from '#process';
import type { Identity } from '../identity/identity.js';
import { KeyTables } from '../identity/keys/key-tables.js';
import { Problem } from '../problems/problems.js';
import { InstalledRules } from '../settings/tokens.js';
import type { EventForm } from './body/event-form.js';
import { ReceivedClock } from './events/received-clock.js';
import { RequestEvents } from './events/request-events.js';
import { SingleEvents, type Single } from './events/single-event.js';
import { TableRecords } from './events/table-records.js';
import { IngestMetrics, type IngestResult } from './metrics/ingest-metrics.js';

/** The number of events recorded, which are all events of the request, and where they are. */
export interface Recorded {
  readonly events: number;
  /** For each partition written, the position that a reader waits for. */
  readonly positions: readonly Appended[];
}

/**
 * Appends the events of one body. If one is malformed or not the sender's to write, appends none of
 * them.
 */
export class AppendEvents extends Command<Recorded> {
  constructor(
    readonly sender: Identity,
    readonly form: EventForm,
    readonly body: Buffer,
  ) {
    super();
  }
}

/** The longest wait for an append. The log's own limits are shorter. */
const APPEND_MS_MAX = 30_000;
const RETRY_AFTER_S = 1;

/** Decodes, stamps and appends events. It does not judge the game. */
@CommandHandler(AppendEvents)
export class AppendEventsHandler implements ICommandHandler<AppendEvents> {
  private readonly decoder: Decoder;
  private readonly singles: SingleEvents;
  private readonly clock = new ReceivedClock();
  private readonly logger = new Logger('ingest');

  constructor(
    private readonly log: EventLog,
    { book }: InstalledRules,
    private readonly metrics: IngestMetrics,
    private readonly keyTables: KeyTables,
  ) {
    this.decoder = new Decoder(houseFrom(book), 'refused');
    this.singles = new SingleEvents(this.decoder, log.partitions);
  }

  /**
   * Resolves once every event is durable. Otherwise throws a problem: 400, 403 or 413 before
   * anything is appended, 503 if nothing was appended, and 504 if the outcome of an append is
   * unknown.
   */
  execute(command: AppendEvents): Promise<Recorded> {
    const began = performance.now();
    const stamps = this.clock.stampsFrom(command.sender.id);
    const single =
      command.form === 'event'
        ? this.singles.read(command.body, command.sender, stamps)
        : undefined;
    return single === undefined
      ? this.many(command, stamps, began)
      : this.one(single, command, began);
  }

  private async one(
    { type, table, appending }: Single,
    { sender, body }: AppendEvents,
    began: number,
  ): Promise<Recorded> {
    let result: IngestResult = 'refused';
    try {
      if (!this.keyTables.knows(sender, table))
        await this.keyTables.bring(sender, [{ table, position: undefined }]);
      const appended = await this.append(appending).catch((error: unknown) => {
        throw this.failed([error], 0);
      });
      result = 'recorded';
      return { events: 1, positions: [appended] };
    } catch (error) {
      if (error instanceof Problem) result = resultOf(error);
      throw error;
    } finally {
      this.metrics.add(type, result, 1);
      this.metrics.request(body.length, (performance.now() - began) / 1000);
    }
  }

  private async many(
    { sender, form, body }: AppendEvents,
    stamps: string,
    began: number,
  ): Promise<Recorded> {
    const records = new TableRecords(stamps);
    const events = new RequestEvents(form, sender, records);
    let result: IngestResult = 'refused';
    try {
      await events.read(body, this.decoder);
      await this.keyTables.bring(sender, records.asked);
      const positions = await this.appendAll(records.appendings(this.log.partitions));
      result = 'recorded';
      return { events: events.count, positions };
    } catch (error) {
      if (error instanceof Problem) result = resultOf(error);
      throw error;
    } finally {
      this.metrics.count(events.types, result);
      if (events.malformedCount > 0) this.metrics.add('none', 'malformed', events.malformedCount);
      this.metrics.request(body.length, (performance.now() - began) / 1000);
    }
  }

  /** Appends, or rejects with `OutcomeUnknown` after `APPEND_MS_MAX`. */
  private append(appending: Appending): Promise<Appended> {
    return within(APPEND_MS_MAX, this.log.append(appending), () => {
      return new OutcomeUnknown(`the log did not answer within ${APPEND_MS_MAX} ms`);
    });
  }

  private async appendAll(appendings: readonly Appending[]): Promise<readonly Appended[]> {
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

  /**
   * Returns `not-recorded` if every append rejected with `NotRecorded`, or else `outcome-unknown`,
   * after which the sender sends again.
   */
  private failed(failures: readonly unknown[], appended: number): Problem {
    for (const failure of failures)
      if (!(failure instanceof NotRecorded) && !(failure instanceof OutcomeUnknown))
        this.logger.error(
          'unexpected error of the log',
          failure instanceof Error ? failure.stack : String(failure),
        );
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

/** Returns the result of the events of a request that ended in this problem. */
function resultOf({ problem }: Problem): IngestResult {
  if (problem === 'not-recorded') return 'not-recorded';
  return problem === 'outcome-unknown' ? 'unknown' : 'refused';
}
