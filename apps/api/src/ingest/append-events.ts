import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Decoder, houseFrom } from '#audit';
import type { Appended } from '#event-log';
import type { Identity } from '../identity/identity.js';
import { KeyTables } from '../identity/keys/key-tables.js';
import { Problem } from '../problems/problems.js';
import { InstalledRules } from '../settings/tokens.js';
import type { EventForm } from './body/event-form.js';
import { ReceivedClock } from './events/received-clock.js';
import { RequestEvents } from './events/request-events.js';
import { SingleEvents, type Single } from './events/single-event.js';
import { TableRecords } from './events/table-records.js';
import { LogAppends } from './log-appends.js';
import { IngestMetrics, type IngestResult, ingestResultOf } from './metrics/ingest-metrics.js';

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

/** Decodes, stamps and appends events. It does not judge the game. */
@CommandHandler(AppendEvents)
export class AppendEventsHandler implements ICommandHandler<AppendEvents> {
  private readonly decoder: Decoder;
  private readonly singles: SingleEvents;
  private readonly clock = new ReceivedClock();

  constructor(
    private readonly appends: LogAppends,
    { book }: InstalledRules,
    private readonly metrics: IngestMetrics,
    private readonly keyTables: KeyTables,
  ) {
    this.decoder = new Decoder(houseFrom(book), 'refused');
    this.singles = new SingleEvents(this.decoder, appends.partitions);
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
      const appended = await this.appends.one(appending);
      result = 'recorded';
      return { events: 1, positions: [appended] };
    } catch (error) {
      if (error instanceof Problem) result = ingestResultOf(error);
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
      const positions = await this.appends.all(records.appendings(this.appends.partitions));
      result = 'recorded';
      return { events: events.count, positions };
    } catch (error) {
      if (error instanceof Problem) result = ingestResultOf(error);
      throw error;
    } finally {
      this.metrics.count(events.types, result);
      if (events.malformedCount > 0) this.metrics.add('none', 'malformed', events.malformedCount);
      this.metrics.request(body.length, (performance.now() - began) / 1000);
    }
  }
}
