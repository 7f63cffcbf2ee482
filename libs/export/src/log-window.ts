import { recordsAt, type EventLog, type StoredRecord } from '#event-log';
import type { RecordPosition } from './rows.js';

/** Bytes of values that are kept of the log while a package is made. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

/** Consecutive records of one partition. */
interface Slice {
  readonly partition: number;
  readonly records: readonly StoredRecord[];
  readonly bytes: number;
}

/** Returns the record at a position if a slice has it. */
function recordIn(
  { partition, records }: Slice,
  position: RecordPosition,
): StoredRecord | undefined {
  const first = records[0]?.offset;
  if (partition !== position.partition || first === undefined) return undefined;
  const record = records[position.offset - first];
  return record?.offset === position.offset ? record : undefined;
}

/**
 * Reads records of a log by their positions, and keeps what was read last. The records of one table
 * lie between those of others, and a package goes over them several times.
 */
export class LogWindow {
  /** The slice that was used last comes last. */
  private slices: Slice[] = [];
  private bytes = 0;

  constructor(private readonly log: EventLog) {}

  /** Returns the record at a position if it is kept. */
  kept(position: RecordPosition): StoredRecord | undefined {
    const last = this.slices.length - 1;
    const at = this.slices.findLastIndex((slice) => recordIn(slice, position));
    const slice = this.slices[at];
    if (slice && at < last) this.slices.push(...this.slices.splice(at, 1));
    return slice && recordIn(slice, position);
  }

  /** Returns the record at a position; undefined if the log has none there. */
  async at(position: RecordPosition): Promise<StoredRecord | undefined> {
    const { partition, offset } = position;
    return this.kept(position) ?? recordIn(await this.slice(partition, offset), position);
  }

  private async slice(partition: number, offset: number): Promise<Slice> {
    const records = (await recordsAt(this.log, partition, offset)) ?? [];
    const bytes = records.reduce((sum, { value }) => sum + value.length, 0);
    const slice = { partition, records, bytes };
    this.slices.push(slice);
    this.bytes += bytes;
    while (this.bytes > KEPT_BYTES_MAX && this.slices.length > 1)
      this.bytes -= this.slices.shift()?.bytes ?? 0;
    return slice;
  }
}
