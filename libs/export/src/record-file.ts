import { open, type FileHandle } from 'node:fs/promises';
import type { StoredRecord } from '#event-log';

/** What a package needs of a record of the log. */
export type ReadRecord = Pick<StoredRecord, 'partition' | 'offset' | 'value'>;

/** Where records that were added together are in a file. */
interface Block {
  readonly records: number;
  readonly at: number;
  readonly bytes: number;
}

/** Before the values of a block: the partition, the offset and the length of each. */
const NUMBERS = 3;
const NUMBERS_BYTES = NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/**
 * Records that were read from the log, in a file of this process. A package goes over its records
 * three times, and reading them from a database costs more than all else that is done with them.
 */
export class RecordFile {
  private end = 0;

  private constructor(private readonly file: FileHandle) {}

  /** Creates the file. Rejects if there is one. */
  static async create(path: string): Promise<RecordFile> {
    return new RecordFile(await open(path, 'wx+'));
  }

  /** Adds records. Returns where they are. */
  async add(records: readonly ReadRecord[]): Promise<Block> {
    const numbers = new Float64Array(NUMBERS * records.length);
    for (const [i, { partition, offset, value }] of records.entries())
      numbers.set([partition, offset, value.length], NUMBERS * i);
    const head = new Uint8Array(numbers.buffer);
    const block = Buffer.concat([head, ...records.map(({ value }) => value)]);
    await this.file.writeFile(block); // behind what was added before
    const at = this.end;
    this.end += block.length;
    return { records: records.length, at, bytes: block.length };
  }

  /** Returns the records of a block. */
  async read({ records, at, bytes }: Block): Promise<ReadRecord[]> {
    const block = Buffer.allocUnsafeSlow(bytes);
    const { bytesRead } = await this.file.read(block, 0, bytes, at);
    if (bytesRead < bytes) throw new Error(`the file of records ends before ${at + bytes}`);
    const numbers = new Float64Array(block.buffer, 0, NUMBERS * records);
    const found: ReadRecord[] = [];
    let from = NUMBERS_BYTES * records;
    for (let i = 0; i < numbers.length; i += NUMBERS) {
      const to = from + (numbers[i + 2] as number);
      const [partition, offset] = [numbers[i] as number, numbers[i + 1] as number];
      found.push({ partition, offset, value: block.subarray(from, to) });
      from = to;
    }
    return found;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** Consecutive records of one table in a file: those that were read last without a hole. */
export class KeptRecords {
  private first = 0;
  private next = 0;
  private readonly blocks: (Block & { readonly first: number })[] = [];

  constructor(private readonly file: RecordFile) {}

  /** Keeps records from `first` on. If they do not follow those kept, these are forgotten. */
  async add(first: number, records: readonly ReadRecord[]): Promise<void> {
    if (first !== this.next) {
      this.blocks.length = 0;
      this.first = first;
    }
    this.blocks.push({ first, ...(await this.file.add(records)) });
    this.next = first + records.length;
  }

  /** Yields the records from `from` on that are kept, up to `to`, which is not included. */
  async *read(from: number, to: number): AsyncGenerator<readonly ReadRecord[]> {
    if (from < this.first) return;
    const end = Math.min(to, this.next);
    for (const { first, ...block } of [...this.blocks]) {
      const next = first + block.records;
      if (next <= from || first >= end) continue;
      const records = await this.file.read(block);
      yield first >= from && next <= end
        ? records
        : records.slice(Math.max(0, from - first), end - first);
    }
  }
}
