import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { BrokenLog, EventLog, type StoredRecord } from '#event-log';
import { beginning, HouseRecord } from '../house/house-record.js';
import { actorOf, asker, type Identity } from '../identity/identity.js';
import { logAway } from '../problems/log-away.js';
import { Problem, type RequestFault } from '../problems/problems.js';
import { notStopped, ParkingStore, partitionAsked } from './parked.js';

/** The most bytes of a record that an answer shows. */
const SHOWN_BYTES_MAX = 64 * 1024;

/** The record at which a partition is stopped, as it lies in the log. */
export interface StoppedRecord {
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  /** When the log took it; null if the log does not keep that. */
  readonly time: string | null;
  /** The bytes of its value. */
  readonly size: number;
  readonly sha256: string;
  /** The first 64 KiB of its value, in base64. */
  readonly value: string;
  /** The first line that cannot be read, from 0. */
  readonly line: number;
  /** Why it cannot be read. */
  readonly reason: string;
  readonly stoppedAt: string;
}

/** The record to pass, as the sender names it, and why. */
export interface PassAsked {
  readonly offset: number;
  readonly sha256: string;
  readonly reason: string;
}

/**
 * Asks for the record at which a partition is stopped. Throws `not-found` if the partition is not
 * stopped, `conflict` if no record stopped it but its log, `not-permitted` if the sender may not
 * see all tables, and `not-ready` if the log does not answer.
 */
export class ShowStoppedRecord extends Query<StoppedRecord> {
  constructor(
    readonly by: Identity,
    readonly partition: string,
  ) {
    super();
  }
}

/**
 * Lets auditors claim a stopped partition again without the record at which it stopped, which no
 * fold ever reads again. Throws as `ShowStoppedRecord` does, and `conflict` if the sender names
 * another record.
 */
export class PassRecord extends Command<void> {
  constructor(
    readonly by: Identity,
    readonly partition: string,
    readonly asked: PassAsked,
  ) {
    super();
  }
}

/** A record at which a partition is stopped, and why. */
interface Found extends Omit<StoppedRecord, 'key' | 'size' | 'value'> {
  readonly record: StoredRecord;
}

/** Finds the records at which partitions are stopped, in the log itself. */
@Injectable()
export class StoppedRecords {
  constructor(
    private readonly decisions: ParkingStore,
    private readonly log: EventLog,
  ) {}

  /** Throws as `ShowStoppedRecord` does. */
  async find(by: Identity, asked: string): Promise<Found> {
    const partition = partitionAsked(by, asked);
    const positions = await this.decisions.store.positions();
    const { stopped } = positions.find((each) => each.partition === partition) ?? {};
    if (!stopped) throw notStopped();
    const { offset, line, reason, at: stoppedAt } = stopped;
    if (line === null)
      throw new Problem(
        'conflict',
        'the log stopped this partition, not one of its records, so no record can be passed: restore the log and resume the partition',
      );
    const record = await this.read(partition, offset);
    const sha256 = createHash('sha256').update(record.value).digest('hex');
    const time = record.time === undefined ? null : new Date(record.time).toISOString();
    return { partition, offset, line, reason, stoppedAt, sha256, time, record };
  }

  private async read(partition: number, offset: number): Promise<StoredRecord> {
    const [record] = await this.log.read(partition, offset, 1).catch((error: unknown) => {
      if (error instanceof BrokenLog) return [];
      throw logAway(error);
    });
    if (record) return record;
    throw new Problem('conflict', 'the log no longer has the record that stopped this partition');
  }
}

/** Reads the record from the log. */
@QueryHandler(ShowStoppedRecord)
export class ShowStoppedRecordHandler implements IQueryHandler<ShowStoppedRecord> {
  constructor(private readonly stops: StoppedRecords) {}

  async execute({ by, partition }: ShowStoppedRecord): Promise<StoppedRecord> {
    const { record, ...found } = await this.stops.find(by, partition);
    const { value } = record;
    return {
      ...found,
      key: keyShown(record),
      size: value.length,
      value: Buffer.from(value.subarray(0, SHOWN_BYTES_MAX)).toString('base64'),
    };
  }
}

/** Keeps the decision, makes the partition claimable again, and records who decided. */
@CommandHandler(PassRecord)
export class PassRecordHandler implements ICommandHandler<PassRecord> {
  private readonly logger = new Logger('parked');

  constructor(
    private readonly stops: StoppedRecords,
    private readonly decisions: ParkingStore,
    private readonly record: HouseRecord,
  ) {}

  async execute({ by, partition: number, asked }: PassRecord): Promise<void> {
    const found = await this.stops.find(by, number);
    refuseOther(found, asked);
    const { partition, offset, sha256, reason: fault, record } = found;
    const { reason } = asked;
    const size = record.value.length;
    const [key, actor] = [keyShown(record), actorOf(by)];
    const passed = { partition, offset, sha256, size, key, reason };
    const { text, values } = this.decisions.store.passing({ ...passed, passedBy: actor });
    await this.record.transaction(async (manager, note) => {
      const rows = await manager.query<unknown[]>(text, values);
      if (rows.length === 0) throw notStopped();
      const data = { ...passed, key: beginning(key), fault: beginning(fault) };
      await note({ type: 'record-passed', by: actor, data });
    });
    this.logger.log({
      message: 'record passed: its partition continues without it',
      ...{ partition, offset, sha256, reason },
      ...asker(by),
    });
  }
}

/** Returns the key of a record as a text that events and rows may hold. */
const keyShown = ({ key }: StoredRecord): string => key.replace(/[\0\p{Cs}]/gu, '\ufffd');

/** Throws `conflict` unless the sender names the record at which the partition is stopped. */
function refuseOther({ offset, sha256 }: Found, asked: PassAsked): void {
  const errors: RequestFault[] = [];
  if (asked.offset !== offset)
    errors.push({ pointer: '/offset', reason: `the partition is stopped at offset ${offset}` });
  else if (asked.sha256 !== sha256)
    errors.push({
      pointer: '/sha256',
      reason: `must be the SHA-256 of the record at offset ${offset} as it lies in the log`,
    });
  if (errors.length > 0)
    throw new Problem('conflict', 'the partition is not stopped at this record', { errors });
}
