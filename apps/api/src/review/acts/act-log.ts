import { Injectable } from '@nestjs/common';
import {
  Decoder,
  EVENT_BYTES_MAX,
  fullName,
  houseFrom,
  referenceOf,
  stamped,
  type RefusedLine,
  type ReviewEvent,
  type ReviewType,
} from '#audit';
import { partitionOf, type LogRecord } from '#event-log';
import type { Positions } from '#read-model';
import { actorOf, type Identity } from '../../identity/identity.js';
import { ReceivedClock } from '../../ingest/events/received-clock.js';
import { LogAppends } from '../../ingest/log-appends.js';
import { IngestMetrics, ingestResultOf } from '../../ingest/metrics/ingest-metrics.js';
import { Problem } from '../../problems/problems.js';
import { InstalledRules } from '../../settings/tokens.js';

/** What an act is made of. `data` begins with `finding` and `as`. */
export interface ActParts {
  readonly type: ReviewType;
  readonly by: Identity;
  readonly id: string;
  readonly table: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An act that can be appended, as the fold takes it and as its line. */
export interface ActEvent {
  readonly ref: string;
  readonly event: ReviewEvent;
  readonly line: string;
}

/** Writes acts on findings to the log, as ingestion writes events. */
@Injectable()
export class ActLog {
  private readonly decoder: Decoder;
  private readonly clock = new ReceivedClock();

  constructor(
    { book }: InstalledRules,
    private readonly appends: LogAppends,
    private readonly metrics: IngestMetrics,
  ) {
    this.decoder = new Decoder(houseFrom(book), 'refused');
  }

  /**
   * Returns an act of now. Reads it as an auditor will: one line that cannot be read stops a
   * partition. Throws `invalid-request` with the faults of its data, and `too-large`.
   */
  make({ type, by, id, table, data }: ActParts): ActEvent {
    const time = this.clock.now();
    const source = actorOf(by);
    const sent = { specversion: '1.0', type: fullName(type), source, id, time, table, data };
    const text = JSON.stringify(sent);
    const decoded = this.decoder.explain(Buffer.from(text));
    if (decoded.event === undefined) throw refused(decoded);
    const event = decoded.event as ReviewEvent;
    const line = stamped(decoded.content ?? text, by.id, time);
    return { ref: referenceOf(event), event, line };
  }

  /** Returns the head of the partition of a table. Throws `not-recorded`. */
  async head(table: string): Promise<Positions> {
    const partition = partitionOf(table, this.appends.partitions);
    return new Map([[partition, await this.appends.head(partition)]]);
  }

  /**
   * Appends acts and returns the positions to wait for. Throws `not-recorded` and
   * `outcome-unknown`.
   */
  async append(acts: readonly ActEvent[]): Promise<Positions> {
    const byPartition = new Map<number, LogRecord[]>();
    for (const { event, line } of acts) {
      const partition = partitionOf(event.table, this.appends.partitions);
      const records = byPartition.get(partition) ?? [];
      records.push({ key: event.table, value: Buffer.from(line) });
      byPartition.set(partition, records);
    }
    let result: Parameters<IngestMetrics['add']>[1] = 'refused';
    try {
      const appended = await this.appends.all(
        [...byPartition].map(([partition, records]) => ({ partition, records, urgency: 'live' })),
      );
      result = 'recorded';
      return new Map(appended.map(({ partition, next }) => [partition, next]));
    } catch (error) {
      if (error instanceof Problem) result = ingestResultOf(error);
      throw error;
    } finally {
      for (const { event } of acts) this.metrics.add(event.type, result, 1);
    }
  }
}

const DATA = '/data';

function refused({ faults, isTooLong }: RefusedLine): Problem {
  if (isTooLong)
    return new Problem('too-large', `the event of this act would be over ${EVENT_BYTES_MAX} bytes`);
  const errors = faults
    .filter(({ pointer }) => pointer.startsWith(DATA))
    .map(({ pointer, reason }) => ({ pointer: pointer.slice(DATA.length), reason }));
  // everything else of the event is ours
  if (errors.length < faults.length) throw new Error(JSON.stringify(faults));
  return new Problem('invalid-request', undefined, { errors });
}
