import { leafHash, nameOfTable, tableOfRecord, type Sha256 } from '#evidence';
import { recordsAt, type EventLog, type StoredRecord } from '#event-log';
import type { LeafCursor, Mismatch, SealReader } from '#seal-store';

/** What is read at once. */
const CHUNK_BYTES = 256 * 1024;
/** Tables of a partition whose leaves are kept at hand. */
const CURSORS_MAX = 2_000;

/** Records of one partition: `from` to `to`, the last not included. */
export interface LogRange {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** A record that is not the one that was hashed, or the first of several that are gone. */
export interface RecordDifference extends Mismatch {
  /** The first line that is not of this table, from 1; undefined if the hashes do not say which. */
  readonly line?: number;
  /** The offset after the last record that is gone, if this one and all after it are. */
  readonly goneTo?: number;
}

/** What was compared at once. */
export interface ComparedRecords {
  /** The offset after the last record. */
  readonly next: number;
  readonly bytes: number;
  readonly differences: readonly RecordDifference[];
}

/** Compares records of the log with the leaves that were stored when they were hashed. */
export class LogComparison {
  private readonly cursors = new Map<string, LeafCursor>();

  constructor(
    private readonly log: EventLog,
    private readonly reader: SealReader,
    private readonly sha256: Sha256,
  ) {}

  /** Yields after each piece that it has read and compared. */
  async *compare({ partition, from, to }: LogRange): AsyncGenerator<ComparedRecords> {
    this.cursors.clear();
    for (let next = from; next < to;) {
      const records = await recordsAt(this.log, partition, next, CHUNK_BYTES);
      if (records === undefined) {
        const gone = await this.goneFrom({ partition, from: next, to });
        next = gone.goneTo ?? next + 1;
        yield { next, bytes: 0, differences: [gone] };
        continue;
      }
      const differences: RecordDifference[] = [];
      let bytes = 0;
      for (const record of records) {
        if (record.offset >= to) break;
        if (!(await this.isSealed(record))) differences.push(await this.changed(record));
        next = record.offset + 1;
        bytes += record.value.length;
      }
      yield { next, bytes, differences };
    }
  }

  private leafOf({ value }: StoredRecord): Uint8Array {
    return leafHash(this.sha256, value);
  }

  /** Returns whether a record is the one that was hashed from its position, for its table. */
  private async isSealed(record: StoredRecord): Promise<boolean> {
    const { partition, offset } = record;
    const cursor = await this.cursorOf(tableOfRecord(record), offset);
    for (let leaf = await cursor?.peek(); leaf; leaf = await cursor?.peek()) {
      if (leaf.position.offset > offset) return false;
      cursor?.pass();
      if (leaf.position.offset === offset && leaf.position.partition === partition)
        return leaf.hash.equals(this.leafOf(record));
    }
    return false;
  }

  /** Returns the cursor of a table, at this offset. A new one sees the records that came since. */
  private async cursorOf(table: string, offset: number): Promise<LeafCursor | undefined> {
    const kept = this.cursors.get(table);
    if (await kept?.peek()) return kept;
    if (this.cursors.size >= CURSORS_MAX) this.cursors.clear();
    const cursor = await this.reader.cursor(nameOfTable(table), offset);
    if (cursor) this.cursors.set(table, cursor);
    return cursor;
  }

  private async changed(record: StoredRecord): Promise<RecordDifference> {
    const { partition, offset, value } = record;
    const table = tableOfRecord(record);
    const leaf = await this.reader.recordAt({ partition, offset });
    const name = leaf?.name ?? nameOfTable(table);
    const line = name === nameOfTable(table) ? firstBadLine(value, table) : 1;
    return {
      ...{ partition, offset, name },
      ...{ record: leaf?.index ?? null, sealed: leaf?.hash ?? null },
      found: Buffer.from(this.leafOf(record)),
      ...(line !== undefined && { line }),
    };
  }

  private async goneFrom({ partition, from, to }: LogRange): Promise<RecordDifference> {
    const leaf = await this.reader.recordAt({ partition, offset: from });
    const head = await this.log.head(partition, to);
    return {
      ...{ partition, offset: from, name: leaf?.name ?? '' },
      ...{ record: leaf?.index ?? null, sealed: leaf?.hash ?? null, found: null },
      ...(head <= from && { goneTo: to }),
    };
  }
}

/**
 * Returns the first line of a changed record that cannot be right. A record is hashed as a whole,
 * so of several lines that all look right none can be named.
 */
function firstBadLine(value: Uint8Array, table: string): number | undefined {
  const lines = Buffer.from(value).toString('utf8').split('\n');
  if (lines.length === 1) return 1;
  const bad = lines.findIndex((line) => tableIn(line) !== table);
  return bad < 0 ? undefined : bad + 1;
}

function tableIn(line: string): unknown {
  try {
    const event: unknown = JSON.parse(line);
    return typeof event === 'object' && event !== null && 'table' in event
      ? event.table
      : undefined;
  } catch {
    return undefined;
  }
}
