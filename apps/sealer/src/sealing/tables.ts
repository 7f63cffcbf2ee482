import {
  compareBytes,
  leafHash,
  namesText,
  nameOfTable,
  tableOfName,
  tableOfRecord,
  utf8Of,
  type Sha256,
} from '#evidence';
import type { StoredRecord } from '#event-log';
import {
  GrowingTree,
  headLeaf,
  HeadTree,
  SITE_TREE,
  TreeGrowth,
  type Commit,
  type NewEntry,
  type StoredHead,
  type SealState,
  type TableTree,
} from '#seal-store';

/** Thrown for a record that the log skips: its partition stops there. */
export class SkippedRecord extends Error {
  override readonly name = 'SkippedRecord';

  constructor(
    readonly offset: number,
    next: number,
  ) {
    super(`the record at offset ${offset} is missing: offset ${next} follows the one before`);
  }
}

/** The records that can be appended, and why none after them can. */
export interface Admitted {
  readonly records: readonly StoredRecord[];
  readonly fault?: SkippedRecord;
}

interface Table extends Omit<TableTree, 'number' | 'sealed'> {
  number: number | undefined;
  sealed: number;
}

/** The bytes by which new tables of one seal are numbered: those of the id, not of its escapes. */
const idBytes = ({ name }: Table): Uint8Array => utf8Of(tableOfName(name) ?? name);

/** What a seal says of the tables, and what is stored with it. */
export interface SealedTables extends Pick<NewEntry, 'numbers' | 'grown'> {
  readonly tables: number;
  readonly names: Uint8Array;
  readonly heads: Uint8Array;
}

/**
 * The trees of all tables in memory, as they are committed. A failed commit or seal leaves them
 * ahead of the database, so the session that failed drops them.
 */
export class Tables {
  private readonly byName = new Map<string, Table>();
  /** By the table of records, which is faster than by name. */
  private readonly byId = new Map<string, Table>();
  private readonly names: string[] = [];
  private readonly heads: HeadTree;
  private readonly next: number[];
  private nextId: number;
  private sealedRecords = 0;

  private readonly sha256: Sha256;
  private readonly origin: string;

  /** Continues from what the database holds: its trees, and the heads of the last seal. */
  constructor(
    { sha256, origin }: { readonly sha256: Sha256; readonly origin: string },
    state: Pick<SealState, 'positions' | 'tables'>,
    heads: readonly StoredHead[],
  ) {
    this.sha256 = sha256;
    this.origin = origin;
    this.heads = new HeadTree(sha256);
    for (const head of heads) {
      this.names[head.number] = head.name;
      this.heads.set(head.number, headLeaf(sha256, { origin, ...head }));
    }
    for (const table of state.tables) {
      this.byName.set(table.name, { ...table });
      this.sealedRecords += table.sealed;
    }
    this.nextId = Math.max(SITE_TREE, ...state.tables.map(({ id }) => id)) + 1;
    this.next = state.positions.map(({ next }) => next);
  }

  /** By partition: the offset after the last record in the trees. */
  get positions(): readonly number[] {
    return this.next;
  }

  /** How many records are in the trees and not yet in a seal. */
  get unsealed(): number {
    return this.next.reduce((sum, next) => sum + next, 0) - this.sealedRecords;
  }

  /** The root over the heads of the last seal. */
  get headsRoot(): Uint8Array {
    return this.heads.root();
  }

  /**
   * Returns those of consecutive records of a partition that can be appended next: not those that
   * the trees hold already, and none behind a record that is missing.
   */
  admit(partition: number, records: readonly StoredRecord[]): Admitted {
    let next = this.next[partition] ?? 0;
    const admitted: StoredRecord[] = [];
    for (const record of records) {
      const { offset } = record;
      if (offset < next) continue;
      if (offset > next) return { records: admitted, fault: new SkippedRecord(next, offset) };
      admitted.push(record);
      next += 1;
    }
    return { records: admitted };
  }

  /** Appends admitted records to their tables' trees, and returns what to write. */
  grow(records: readonly StoredRecord[]): Commit {
    const growth = new Map<Table, TreeGrowth>();
    const newTables: { readonly id: number; readonly name: string }[] = [];
    const moves = new Map<number, Commit['moves'][number]>();
    for (const record of records) {
      const { partition, offset, value } = record;
      const table = this.tableOf(tableOfRecord(record), newTables);
      let grown = growth.get(table);
      if (!grown) growth.set(table, (grown = new TreeGrowth(table.id, table.tree)));
      const leaf = leafHash(this.sha256, value);
      grown.append(leaf, { partition, offset });
      const from = moves.get(partition)?.from ?? offset;
      moves.set(partition, { partition, from, next: offset + 1, lastDigest: leaf });
      this.next[partition] = offset + 1;
    }
    return { moves: [...moves.values()], newTables, grown: [...growth.values()] };
  }

  /** Numbers the new tables and brings all heads up to the trees. Returns what the seal says. */
  seal(): SealedTables {
    const grown = [...this.byName.values()].filter(({ tree, sealed }) => tree.size > sealed);
    const fresh = grown
      .filter(({ number }) => number === undefined)
      .sort((one, other) => compareBytes(idBytes(one), idBytes(other)));
    const numbers = fresh.map((table) => {
      const number = this.names.push(table.name) - 1;
      table.number = number;
      return { id: table.id, number };
    });
    const rows = grown
      .map((table) => this.sealTable(table))
      .sort((one, other) => one.number - other.number);
    for (const { name, ...head } of rows)
      this.heads.set(head.number, headLeaf(this.sha256, { origin: this.origin, name, ...head }));
    return {
      tables: this.names.length,
      names: this.sha256(utf8Of(namesText(this.names))),
      heads: this.heads.root(),
      numbers,
      grown: rows,
    };
  }

  private sealTable(table: Table): StoredHead {
    const { name, number, tree } = table;
    if (number === undefined) throw new Error(`table ${name} has no number`);
    this.sealedRecords += tree.size - table.sealed;
    table.sealed = tree.size;
    return { number, name, size: tree.size, root: tree.root() };
  }

  private tableOf(id: string, made: { readonly id: number; readonly name: string }[]): Table {
    let table = this.byId.get(id);
    if (table) return table;
    const name = nameOfTable(id);
    table = this.byName.get(name);
    if (!table) {
      const tree = new GrowingTree(this.sha256);
      table = { id: this.nextId, name, number: undefined, tree, sealed: 0 };
      this.nextId += 1;
      this.byName.set(name, table);
      made.push({ id: table.id, name });
    }
    this.byId.set(id, table);
    return table;
  }
}
