import type { Finding, RangeShoe } from '#audit';
import type { DataSource } from 'typeorm';
import { readModelDataSource } from '../database/data-source.js';
import { keyOf } from '../database/schema-keys.js';
import type { LinePosition } from '../entities/index.js';
import { passedRecords } from '../passed/passed-records.js';
import { readSnapshot, type Snapshot } from '../reading/snapshot-read.js';
import { shoeDifference } from './shoe-difference.js';

/** Where a record is in the log. */
interface RecordPosition {
  readonly partition: number;
  readonly offset: number;
}

/** A finding, and where it is. */
export interface StoredFinding {
  readonly finding: Finding;
  /** The reference of the opening of its shoe; null if it is about no shoe. */
  readonly shoeRef: string | null;
  /** A record at which it had been raised. */
  readonly position: RecordPosition;
  readonly isWithdrawn: boolean;
}

/** An opening of a shoe, and where it is. */
export interface StoredOpening {
  readonly ref: string;
  readonly shoe: string;
  readonly position: RecordPosition;
}

/** A line of a record that the fold does not judge. */
export interface UnjudgedLine {
  readonly position: RecordPosition;
  /** Counted from 1. */
  readonly line: number;
  /** Whether the fold leaves it out. Otherwise the table is parked there. */
  readonly released: boolean;
}

const OPENING = 's.ref, s.shoe, s.partition, s.opened_offset as "offset"';

/** Returns what packages need of the rows, and compares packages with them. */
export class PackageRows {
  private constructor(private readonly source: DataSource) {}

  /** Opens the rows, which `migrate` has made. The caller closes them. */
  static async open(url: string, applicationName = 'shoeprint packages'): Promise<PackageRows> {
    const source = readModelDataSource(url, { poolSize: 2, applicationName });
    return new PackageRows(await source.initialize());
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }

  /** Returns up to which offset the rows include a partition. */
  async reached(partition: number): Promise<number> {
    return this.read(async ({ positions }) => positions.get(partition) ?? 0);
  }

  /**
   * Returns the opening of a table's shoe by its reference, or else the last one by the shoe's id;
   * undefined if there is none.
   */
  async opening(table: string, shoe: string): Promise<StoredOpening | undefined> {
    const [found] = await this.openings(
      `select ${OPENING} from shoe s where s."table" = $1 and (s.ref = $2 or s.shoe = $2)
       order by s.ref = $2 desc, s.opened_offset desc, s.opened_line desc limit 1`,
      [keyOf(table), keyOf(shoe)],
    );
    return found;
  }

  /** Returns the last opening before an offset of each of these shoes of a table that has one. */
  async openingsOf(
    table: string,
    shoes: readonly string[],
    before: number,
  ): Promise<StoredOpening[]> {
    const names = new Map(shoes.map((shoe) => [keyOf(shoe), shoe]));
    const found = await this.openings(
      `select distinct on (s.shoe) ${OPENING} from shoe s
       where s."table" = $1 and s.shoe = any($2) and s.opened_offset < $3
       order by s.shoe, s.opened_offset desc, s.opened_line desc`,
      [keyOf(table), [...names.keys()], before],
    );
    return found.map((opening) => ({ ...opening, shoe: names.get(opening.shoe) ?? opening.shoe }));
  }

  /** Returns the last openings of a table up to an offset, the last first. */
  openingsBefore(table: string, offset: number, count: number): Promise<StoredOpening[]> {
    return this.openings(
      `select ${OPENING} from shoe s where s."table" = $1 and s.opened_offset <= $2
       order by s.opened_offset desc, s.opened_line desc limit $3`,
      [keyOf(table), offset, count],
    );
  }

  /** Returns a finding with its position, or undefined if no finding has this id. */
  async finding(id: string): Promise<StoredFinding | undefined> {
    const [found] = await this.rows<FindingRead>(
      `select f.body as finding, f.shoe_ref as "shoeRef", f.partition, f.changed, f.lines,
         f.withdrawn_because is not null as "isWithdrawn"
       from finding f where f.id = $1`,
      [id],
    );
    if (!found) return undefined;
    const { finding, shoeRef, partition, changed, lines, isWithdrawn } = found;
    const shown = lines.map(([offset]) => offset);
    const offset = shown.length > 0 ? Math.max(...shown) : changed - 1;
    return { finding, shoeRef, position: { partition, offset }, isWithdrawn };
  }

  /** Returns the records with acts on a finding, in the order of the log. */
  acts(finding: string): Promise<RecordPosition[]> {
    return this.rows<RecordPosition>(
      `select distinct e.partition, e."offset" from review_event e
       where e.finding = $1 order by e."offset"`,
      [keyOf(finding)],
    );
  }

  /** Returns what the fold does not judge of a table's records: released and parked events. */
  async unjudged(table: string): Promise<UnjudgedLine[]> {
    const lines = await this.rows<RecordPosition & Omit<UnjudgedLine, 'position'>>(
      `select r.partition, r."offset", r.line + 1 as line, true as released from released r
       where r."table" = $1
       union all
       select p.partition, p."offset", p.line + 1, false from parked p where p.name = $1`,
      [table],
    );
    return lines.map(({ line, released, ...position }) => ({ position, line, released }));
  }

  /** Returns all passed records, which the fold does not judge, in the order of the log. */
  passed(): Promise<RecordPosition[]> {
    return this.read((read) => passedRecords(read, {}));
  }

  /**
   * Returns how the rows differ from what was judged of shoes that left reach: the first
   * difference, in words. Returns undefined if they agree.
   */
  async difference(shoes: readonly RangeShoe[]): Promise<string | undefined> {
    return this.read((read) => firstDifference(read, shoes));
  }

  private async openings(sql: string, parameters: readonly unknown[]): Promise<StoredOpening[]> {
    const rows = await this.rows<Omit<StoredOpening, 'position'> & RecordPosition>(sql, parameters);
    return rows.map(({ ref, shoe, partition, offset }) => ({
      ...{ ref, shoe },
      position: { partition, offset },
    }));
  }

  private async rows<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.read((read) => read.rows<Row>(sql, parameters));
  }

  private async read<Result>(work: (read: Snapshot) => Promise<Result>): Promise<Result> {
    return (await readSnapshot(this.source, work)).result;
  }
}

interface FindingRead extends Pick<StoredFinding, 'finding' | 'shoeRef' | 'isWithdrawn'> {
  readonly partition: number;
  readonly changed: number;
  readonly lines: readonly LinePosition[];
}

async function firstDifference(
  read: Snapshot,
  shoes: readonly RangeShoe[],
): Promise<string | undefined> {
  for (const judged of shoes) {
    const difference = await shoeDifference(read, judged);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
