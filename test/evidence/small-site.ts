import {
  checkpointText,
  compareBytes,
  cosignedMessage,
  exportsKeyName,
  headText,
  joinBytes,
  keyFileText,
  keyId,
  keyStatementText,
  nameOfTable,
  namesText,
  noteText,
  readVkey,
  sealText,
  signText,
  utf8Of,
  vkeyText,
  type KeyStatement,
  type NoteSignature,
  type Signer,
  type VerifierKey,
} from '#evidence';
import { nodeCryptography, signerOf } from '#evidence/node';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { MemoryTree } from './memory-tree.js';

const { sha256 } = nodeCryptography;

/** Returns a signer for notes whose key is made from a number. */
export function signerFrom(name: string, seedByte: number): Signer {
  const seed = new Uint8Array(32).fill(seedByte);
  const id = keyId(sha256, { name, type: 'note', publicKey: publicKeyOf(seed) });
  return signerOf(keyFileText({ name, id, seed }));
}

function publicKeyOf(seed: Uint8Array): Uint8Array {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
}

/** A witness whose key is made from a number. */
export class TestWitness {
  readonly key: VerifierKey;
  private readonly signer: Signer;

  constructor(name: string, seedByte: number) {
    const publicKey = publicKeyOf(new Uint8Array(32).fill(seedByte));
    const half = { name, type: 'cosignature', publicKey } as const;
    this.key = { ...half, id: keyId(sha256, half) };
    this.signer = signerFrom(name, seedByte);
  }

  get vkey(): string {
    return vkeyText(this.key);
  }

  cosign(text: string, time: number): NoteSignature {
    const seconds = new DataView(new ArrayBuffer(8));
    seconds.setBigUint64(0, BigInt(time));
    const signature = this.signer.sign(utf8Of(cosignedMessage(text, time)));
    return {
      name: this.key.name,
      id: this.key.id,
      signature: joinBytes(new Uint8Array(seconds.buffer), signature),
    };
  }
}

/** A record of a table as the log holds it. */
export interface SiteRecord {
  readonly text: string;
  readonly partition: number;
  readonly offset: number;
}

/** A table of the site. */
export interface SiteTable {
  readonly table: string;
  readonly name: string;
  readonly tree: MemoryTree;
  readonly records: SiteRecord[];
}

/** A seal with where each table stood: by number, 0 if it had no record. */
export interface SiteSeal {
  readonly number: number;
  readonly text: string;
  readonly sizes: readonly number[];
  readonly day?: string | undefined;
}

/** A whole site in memory: its log, trees, seals, keys and checkpoints. */
export class SmallSite {
  readonly tables: SiteTable[] = [];
  readonly seals: SiteSeal[] = [];
  readonly log = new MemoryTree();
  readonly leaves: string[] = [];
  readonly statements: number[] = [];
  /** The log key that signs; `rotate` exchanges it. */
  logKey: Signer;
  readonly safeKey: Signer;
  readonly exportsKey: Signer;
  readonly witness: TestWitness;
  private readonly known = new Map<string, SiteRecord[]>();
  private readonly keysBefore: { readonly until: number; readonly key: Signer }[] = [];
  private readonly next: number[];
  private time: number;
  private readonly seed: number;

  constructor(
    readonly origin = 'shoeprint.example/harbour',
    { partitions = 2, seed = 1, start = '2026-11-20T12:00:00Z' } = {},
  ) {
    this.seed = seed;
    this.logKey = signerFrom(origin, seed);
    this.safeKey = signerFrom(origin, seed + 1);
    this.exportsKey = signerFrom(exportsKeyName(origin), seed + 2);
    this.witness = new TestWitness('witness.example/w1', seed + 3);
    this.next = Array.from({ length: partitions }, () => 0);
    this.time = Date.parse(start);
    this.state({ add: [this.logKey, this.safeKey, this.exportsKey] }, [this.logKey, this.safeKey]);
  }

  /** Adds a new log key, signed by it and the one before, and signs with it from here on. */
  rotate(): void {
    const fresh = signerFrom(this.origin, this.seed + 100);
    this.state({ add: [fresh] }, [this.logKey, fresh]);
    this.keysBefore.push({ until: this.leaves.length - 1, key: this.logKey });
    this.logKey = fresh;
  }

  /** Appends a key statement to the site log. */
  state({ add = [], retire = [], revoke = [] }: KeyChanges, signers: readonly Signer[]): number {
    const number = this.leaves.length;
    const keyOf = ({ vkey }: Signer): VerifierKey => readVkey(sha256, vkey);
    const statement: KeyStatement = {
      origin: this.origin,
      number,
      previous: this.statements.at(-1),
      add: add.map(keyOf),
      retire: retire.map(keyOf),
      revoke: revoke.map(({ signer, size }) => ({ key: keyOf(signer), size })),
    };
    const text = keyStatementText(statement);
    const signatures = signers.map((signer) => signText(sha256, text, signer));
    this.statements.push(number);
    this.addLeaf(noteText({ text, signatures }));
    return number;
  }

  /** Appends a record to a table. */
  append(table: string, text: string): void {
    const partition = utf8Of(table).reduce((sum, byte) => sum + byte, 0) % this.next.length;
    const offset = this.next[partition] ?? 0;
    this.next[partition] = offset + 1;
    const records = this.known.get(table) ?? [];
    records.push({ text, partition, offset });
    this.known.set(table, records);
  }

  /** Takes the last records of a table away, as only a house that rewrites its log can. */
  shrink(table: string, size: number): void {
    const shrunk = this.tables.find((each) => each.table === table);
    if (!shrunk) throw new Error(`no table ${table}`);
    shrunk.records.length = size;
    shrunk.tree.leaves.length = size;
    const known = this.known.get(table) ?? [];
    known.length = size;
  }

  /** Seals all that was appended. Returns the number of the seal. */
  seal({ seconds = 60, day }: { seconds?: number; day?: string } = {}): number {
    this.grow();
    const number = this.leaves.length;
    this.time += seconds * 1_000;
    const heads = this.headsNow();
    const names = namesText(this.tables.map(({ name }) => name));
    const text = sealText({
      origin: this.origin,
      number,
      time: new Date(this.time).toISOString().replace('.000Z', 'Z'),
      log: '5f0c2b1e-8d53-4a07-9a3c-6a1f0e7b2d94',
      next: this.next,
      tables: this.tables.length,
      names: sha256(utf8Of(names)),
      heads: heads.root(),
      keys: this.statements.at(-1) ?? 0,
      ...(day === undefined ? {} : { day }),
    });
    this.seals.push({ number, text, sizes: this.tables.map(({ tree }) => tree.size), day });
    this.addLeaf(text);
    return number;
  }

  /** Lets the trees take what was appended. New tables are numbered by their names. */
  private grow(): void {
    const fresh = [...this.known.keys()]
      .filter((table) => this.tables.every((each) => each.table !== table))
      .map((table) => ({ table, name: nameOfTable(table) }))
      .sort((a, b) => compareBytes(utf8Of(a.table), utf8Of(b.table)));
    for (const { table, name } of fresh)
      this.tables.push({ table, name, tree: new MemoryTree(), records: [] });
    for (const { table, tree, records } of this.tables) {
      const all = this.known.get(table) ?? [];
      for (const record of all.slice(records.length)) {
        tree.append(utf8Of(record.text));
        records.push(record);
      }
    }
  }

  private headsNow(): MemoryTree {
    return this.headsOf(this.tables.map(({ tree }) => tree.size));
  }

  /** Returns the tree over the heads of tables with these sizes. */
  headsOf(sizes: readonly number[]): MemoryTree {
    const heads = new MemoryTree();
    sizes.forEach((size, i) => {
      const table = this.tables[i];
      if (!table) throw new Error(`table ${i} is missing`);
      const head = { origin: this.origin, name: table.name, size, root: table.tree.root(size) };
      heads.append(utf8Of(headText(head)));
    });
    return heads;
  }

  private addLeaf(text: string): void {
    this.leaves.push(text);
    this.log.append(utf8Of(text));
  }

  /** Returns the log key that signs at a size. */
  keyAt(size: number): Signer {
    return this.keysBefore.find(({ until }) => size <= until)?.key ?? this.logKey;
  }

  /** Returns the checkpoint of a size as a note, signed by these keys and cosigned. */
  checkpoint(
    size = this.leaves.length,
    { signers = [this.keyAt(size)], witnesses = [this.witness] }: CheckpointSigners = {},
  ): string {
    const text = checkpointText({ origin: this.origin, size, root: this.log.root(size) });
    const signatures = [
      ...signers.map((signer) => signText(sha256, text, signer)),
      ...witnesses.map((witness) => witness.cosign(text, Math.floor(this.time / 1_000) + 2)),
    ];
    return noteText({ text, signatures });
  }
}

interface KeyChanges {
  readonly add?: readonly Signer[];
  readonly retire?: readonly Signer[];
  readonly revoke?: readonly { readonly signer: Signer; readonly size: number }[];
}

interface CheckpointSigners {
  readonly signers?: readonly Signer[];
  readonly witnesses?: readonly TestWitness[];
}
