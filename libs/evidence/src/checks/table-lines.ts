import { startsWith, textOfUtf8, utf8Of } from '../bytes.js';
import type { PackageStatement } from '../package/files.js';

const LINE_FEED = 0x0a;
const BRACE = 0x7b;

/** Checks that the lines of the records of a table name it, but for those of `unjudged`. */
export class TableLines {
  /** The lines that need not name the table, by `record line`. */
  private readonly excused: ReadonlySet<string>;
  /** What stands before the table in a canonical line, and the member up to the next comma. */
  private readonly key = utf8Of(',"table":');
  private readonly member: Uint8Array;
  /** How far before a byte the key can begin next, by the byte. */
  private readonly steps: Uint8Array;

  constructor(
    private readonly table: string,
    unjudged: PackageStatement['unjudged'],
  ) {
    const own = unjudged.filter((each) => each.table === table);
    this.excused = new Set(own.map(({ record, line }) => `${record} ${line}`));
    this.member = utf8Of(`,"table":${JSON.stringify(table)},`);
    const { key } = this;
    this.steps = Uint8Array.from({ length: 256 }, (_, byte) => {
      const at = key.indexOf(byte, 1);
      return at < 0 ? key.length : at;
    });
  }

  /**
   * Returns how many lines record `n` has, which begins at the second of these bytes. Adds the
   * index of each line that must name the table and does not to `others`.
   */
  check(n: number, spareAndRecord: Uint8Array, others: number[]): number {
    if (spareAndRecord.length === 1) return 0;
    for (let from = 1, line = 1; ; line += 1) {
      const feed = spareAndRecord.indexOf(LINE_FEED, from);
      const to = feed < 0 ? spareAndRecord.length : feed;
      if (!this.isPlainlyOf(spareAndRecord, from, to) && !this.isParsedOf(spareAndRecord, from, to))
        if (!this.excused.has(`${n} ${line}`)) others.push(line - 1);
      if (feed < 0) return line;
      from = feed + 1;
    }
  }

  /** Looks where a canonical line has its table: before the first nested object. */
  private isPlainlyOf(bytes: Uint8Array, from: number, to: number): boolean {
    const { key, member, steps } = this;
    const nested = bytes.indexOf(BRACE, from + 1);
    const end = nested < 0 || nested > to ? to : nested;
    // backwards, because most members stand before the table; by as many bytes as cannot be the key
    for (let at = end - key.length; at > from; at -= steps[bytes[at] ?? 0] ?? 1)
      if (startsWith(bytes, at, key)) return startsWith(bytes, at, member);
    return false;
  }

  private isParsedOf(bytes: Uint8Array, from: number, to: number): boolean {
    try {
      const event: unknown = JSON.parse(textOfUtf8(bytes.subarray(from, to)) ?? '');
      return Object(event) === event && (event as { table?: unknown }).table === this.table;
    } catch {
      return false;
    }
  }
}
