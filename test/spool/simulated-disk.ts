import type { SpoolDisk, SpoolFile } from '../../libs/spool/src/segments/disk.js';
import type { Chance } from './chance.js';

/** Thrown by every call once the power or the process is gone. */
class PowerCut extends Error {
  override readonly name = 'PowerCut';
}

/** A change of a file that is not synced. */
type Change =
  | { readonly kind: 'append'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly bytes: number };

/** One file: what programs see of it, and what a loss of power leaves. */
interface Inode {
  seen: Buffer;
  durable: Buffer;
  changes: Change[];
}

const SECTOR = 64; // smaller than a real one, so that short lines are torn too

/**
 * A disk in memory that loses power at a chosen operation. What was not synced then is lost, whole,
 * kept up to some byte, or kept in some sectors, with zeros or old digits in the others, each file
 * and each name by itself.
 */
export class SimulatedDisk implements SpoolDisk {
  /** How many operations were begun. */
  operations = 0;
  /** The operation that loses power half-way. */
  cutAt = Infinity;
  /** Returns why an operation fails, if it does. A failed sync loses some changes for good. */
  fault: (operation: string) => Error | undefined = () => undefined;
  private isOff = false;
  private readonly names: Map<string, Inode>;
  private folderChanges: { readonly name: string; readonly inode: Inode | undefined }[] = [];

  constructor(
    private readonly chance: Chance,
    private readonly durableNames = new Map<string, Inode>(),
  ) {
    this.names = new Map(durableNames);
  }

  get isCut(): boolean {
    return this.isOff;
  }

  create(name: string): Promise<void> {
    return this.operation('create', () => {
      if (this.names.has(name)) throw new Error(`EEXIST: ${name}`);
      const inode = { seen: Buffer.alloc(0), durable: Buffer.alloc(0), changes: [] };
      this.names.set(name, inode);
      this.folderChanges.push({ name, inode });
    });
  }

  append(name: string, bytes: Uint8Array): Promise<void> {
    const write = (some: Uint8Array): void => {
      const inode = this.inode(name);
      inode.changes.push({ kind: 'append', at: inode.seen.length, bytes: some });
      inode.seen = Buffer.concat([inode.seen, some]);
    };
    return this.operation(
      'append',
      () => write(Buffer.from(bytes)),
      () => write(Buffer.from(bytes.slice(0, this.chance.below(bytes.length + 1)))),
    );
  }

  sync(name: string): Promise<void> {
    const settle = (isWhole: boolean): void => {
      const inode = this.inode(name);
      inode.durable = isWhole ? inode.seen : this.remains(inode);
      inode.changes = [];
    };
    // After a failed sync the system takes what it could not write for clean.
    return this.operation(
      'sync',
      () => settle(true),
      () => settle(false),
    );
  }

  truncate(name: string, bytes: number): Promise<void> {
    return this.operation('truncate', () => {
      const inode = this.inode(name);
      inode.changes.push({ kind: 'truncate', bytes });
      inode.seen = inode.seen.subarray(0, bytes);
    });
  }

  remove(name: string): Promise<void> {
    return this.operation('remove', () => {
      this.inode(name);
      this.names.delete(name);
      this.folderChanges.push({ name, inode: undefined });
    });
  }

  syncFolder(): Promise<void> {
    return this.operation('syncFolder', () => {
      for (const { name, inode } of this.folderChanges) this.rename(name, inode);
      this.folderChanges = [];
    });
  }

  async list(): Promise<readonly SpoolFile[]> {
    if (this.isOff) throw new PowerCut();
    return [...this.names].map(([name, { seen }]) => ({
      name,
      bytes: seen.length,
      modifiedMs: 0,
    }));
  }

  async read(name: string, from: number, bytes: number): Promise<Buffer> {
    if (this.isOff) throw new PowerCut();
    return Buffer.from(this.inode(name).seen.subarray(from, from + bytes));
  }

  /** Changes bytes of a file as a bad card does. */
  spoil(name: string, change: (bytes: Buffer) => Buffer): void {
    const inode = this.inode(name);
    inode.seen = change(Buffer.from(inode.seen));
    inode.durable = inode.seen;
    inode.changes = [];
  }

  /** Returns the disk as the next process finds it after only the process ended. */
  killed(): SimulatedDisk {
    const next = new SimulatedDisk(this.chance, this.durableNames);
    next.names.clear();
    for (const [name, inode] of this.names) next.names.set(name, inode);
    next.folderChanges = this.folderChanges;
    return next;
  }

  /** Returns the disk as it is after the power came back. */
  restarted(): SimulatedDisk {
    const upTo = new Map<string, number>();
    for (const { name } of this.folderChanges) upTo.set(name, (upTo.get(name) ?? 0) + 1);
    for (const [name, changes] of upTo) {
      const own = this.folderChanges.filter((each) => each.name === name);
      const kept = own.slice(0, this.chance.below(changes + 1)).at(-1);
      if (kept) this.rename(name, kept.inode);
    }
    const left = [...this.durableNames].map(([name, inode]) => {
      const bytes = this.remains(inode);
      return [name, { seen: bytes, durable: bytes, changes: [] }] as [string, Inode];
    });
    return new SimulatedDisk(this.chance, new Map(left));
  }

  private rename(name: string, inode: Inode | undefined): void {
    if (inode) this.durableNames.set(name, inode);
    else this.durableNames.delete(name);
  }

  private inode(name: string): Inode {
    const inode = this.names.get(name);
    if (!inode) throw new Error(`ENOENT: ${name}`);
    return inode;
  }

  private async operation(name: string, work: () => void, half = work): Promise<void> {
    await Promise.resolve();
    if (this.isOff) throw new PowerCut();
    this.operations += 1;
    if (this.operations >= this.cutAt) {
      if (name !== 'sync' && name !== 'syncFolder') half();
      this.isOff = true;
      throw new PowerCut();
    }
    const fault = this.fault(name);
    if (!fault) {
      work();
      return;
    }
    if (name === 'append' || name === 'sync') half();
    throw fault;
  }

  /** Returns what a loss of power leaves of a file. */
  private remains({ durable, changes }: Inode): Buffer {
    let bytes = durable;
    for (const change of changes)
      if (change.kind === 'append') bytes = this.torn(bytes, change);
      else if (this.chance.below(2) === 0) bytes = bytes.subarray(0, change.bytes);
    return bytes;
  }

  private torn(before: Buffer, { at, bytes }: Change & { kind: 'append' }): Buffer {
    const way = this.chance.below(4);
    if (way === 0) return before; // lost
    const kept =
      way === 1 ? Buffer.from(bytes) : Buffer.alloc(bytes.length, this.chance.below(2) * 0x37);
    const end = way === 2 ? this.chance.below(bytes.length + 1) : bytes.length;
    if (way === 2) kept.set(bytes.subarray(0, end));
    for (let from = 0; way === 3 && from < bytes.length; from += SECTOR)
      if (this.chance.below(2) === 0) kept.set(bytes.subarray(from, from + SECTOR), from);
    const whole = Buffer.alloc(Math.max(before.length, at + end));
    whole.set(before);
    whole.set(kept.subarray(0, end), at);
    return whole;
  }
}
