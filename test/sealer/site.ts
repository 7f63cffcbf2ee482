import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import {
  consistencyProof,
  faultAfter,
  Frontier,
  headText,
  KeyRing,
  leafHash,
  nameOfTable,
  namesText,
  readCheckpoint,
  readNote,
  readSeal,
  rootOf,
  sameBytes,
  signaturesOf,
  utf8Of,
  verifyConsistency,
  type SignedCheckpoint,
} from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { MemoryLog, partitionOf, type EventLog, type StoredRecord } from '#event-log';
import { migrateSeal, SealReader, SealStore, type SiteEntry } from '#seal-store';
import type { GamingDayRule } from '#read-model';
import { runSealCommand, startSealer, type RunningSealer, type SealingSettings } from '#sealer';
import { SILENT, type Journal } from '#server';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../kit/database.js';
import { eventually } from '../kit/eventually.js';
import { UTC_DAYS } from '../kit/server.js';

const { sha256 } = nodeCryptography;

export const ORIGIN = 'shoeprint.example/test';

/** An event in the record of the house, as far as tests look at it. */
export interface HouseRecord {
  readonly type: string;
  readonly source: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A site with a log, a database, and folders for keys and tiles. */
export class Site {
  private readonly sealers: RunningSealer[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'site-'));

  private constructor(
    readonly database: TestDatabase,
    readonly reader: SealReader,
    private readonly pool: pg.Pool,
    private readonly opened: { log: EventLog; readonly open: () => Promise<EventLog> },
  ) {}

  get log(): EventLog {
    return this.opened.log;
  }

  /** Closes the log and opens it again, as after a restart of all programs. */
  async reopenLog(): Promise<void> {
    await this.opened.log.close();
    this.opened.log = await this.opened.open();
  }

  static async open(
    open: (databaseUrl: string) => Promise<EventLog> = async () => new MemoryLog({ partitions: 2 }),
    make: () => Promise<TestDatabase> = createDatabase,
  ): Promise<Site> {
    const database = await make();
    await migrateSeal(database.url);
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    pool.on('error', () => undefined); // its server was killed: the next query connects again
    const opening = (): Promise<EventLog> => open(database.url);
    const opened = { log: await opening(), open: opening };
    return new Site(database, SealReader.open(database.url, sha256), pool, opened);
  }

  get tiles(): string {
    return join(this.folder, 'tiles');
  }

  get keyFile(): string {
    return join(this.folder, 'keys', 'log.key');
  }

  settings(changed: Partial<SealingSettings> = {}): SealingSettings {
    const keyFile = (name: string, setting: string) => ({
      setting,
      path: join(this.folder, 'keys', name),
    });
    return {
      site: ORIGIN,
      keyFiles: {
        log: keyFile('log.key', 'SHOEPRINT_SEAL_KEY'),
        safe: keyFile('safe.key', 'SHOEPRINT_SAFE_KEY'),
        exports: keyFile('exports.key', 'SHOEPRINT_EXPORTS_KEY'),
      },
      tiles: this.tiles,
      rhythm: { everyMs: 100, records: 50_000, graceMs: 900_000 },
      sealLeaseMs: 10_000,
      readAgainBytes: 100_000_000,
      witnesses: [],
      witnessQuorum: 1,
      ...changed,
    };
  }

  async start(
    changed: Partial<SealingSettings> = {},
    {
      journal = SILENT,
      log = this.log,
      gamingDays = UTC_DAYS,
    }: { journal?: Journal; log?: EventLog; gamingDays?: readonly GamingDayRule[] } = {},
  ): Promise<RunningSealer> {
    const sealer = await startSealer({
      log,
      databaseUrl: this.database.url,
      settings: this.settings(changed),
      gamingDays,
      journal,
    });
    this.sealers.push(sealer);
    return sealer;
  }

  /** Runs a command about the seals of this site. Returns its exit code and what it printed. */
  async run(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
    const lines: string[] = [];
    const code = await runSealCommand(args, {
      databaseUrl: this.database.url,
      log: this.log,
      keyFiles: this.settings().keyFiles,
      print: (line) => void lines.push(line),
    });
    return { code, said: lines.join('\n') };
  }

  /** Returns the events of a type in the record of the house. */
  async house(type: string): Promise<HouseRecord[]> {
    const partition = partitionOf('@house', this.log.partitions);
    const found: HouseRecord[] = [];
    for (let from = 0, head = await this.log.head(partition); from < head;)
      for (const { key, value, offset } of await this.log.read(partition, from)) {
        from = offset + 1;
        const event =
          key === '@house' && (JSON.parse(Buffer.from(value).toString()) as HouseRecord);
        if (event && event.type === `shoeprint.${type}.v1`) found.push(event);
      }
    return found;
  }

  /** Appends records to a table, in the partition of its key. */
  async append(table: string, ...values: readonly string[]): Promise<void> {
    await this.log.append({
      partition: partitionOf(table, this.log.partitions),
      urgency: 'live',
      records: values.map((value) => ({ key: table, value: Buffer.from(value) })),
    });
  }

  /** Waits until a signed seal holds everything that is in the log now, and returns its checkpoint. */
  async sealedAll(): Promise<SignedCheckpoint> {
    const heads = await this.heads();
    return eventually(`a seal at ${heads.join(' ')}`, async () => {
      const kept = await this.reader.checkpoint();
      const last = await this.reader.lastEntry('seal');
      if (!kept || !last || kept.size <= last.index) return undefined;
      const { next } = readSeal(last.text);
      return heads.every((head, partition) => (next[partition] ?? 0) >= head)
        ? readCheckpoint(utf8Of(kept.note))
        : undefined;
    });
  }

  async heads(): Promise<number[]> {
    return Promise.all(
      Array.from({ length: this.log.partitions }, (_, partition) => this.log.head(partition)),
    );
  }

  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, values)).rows;
  }

  /** Ends the lease, so that no test waits for one. */
  async expireLease(): Promise<void> {
    await this.query(`update seal.site set lease_until = clock_timestamp() - interval '1 s'`);
  }

  /** Stops a sealer. */
  async stop(sealer: RunningSealer): Promise<void> {
    this.sealers.splice(this.sealers.indexOf(sealer), 1);
    await sealer.close();
  }

  /** Opens the store beside the sealers, as their tools do. The caller closes it. */
  store(): SealStore {
    return SealStore.open(this.database.url);
  }

  async close(): Promise<void> {
    for (const sealer of this.sealers) await sealer.close();
    await this.reader.close();
    await this.pool.end();
    await this.log.close();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What `verified` found in a site log. */
export interface VerifiedSite {
  readonly seals: number;
  readonly records: number;
  readonly days: readonly string[];
}

/**
 * Checks the whole site log against the log itself, with roots computed from the records: each seal
 * follows the one before, and its names and heads are those of the records below its positions. The
 * last checkpoint is signed by a key of the site, and is the root over all leaves up to its size.
 */
export async function verified(site: Site): Promise<VerifiedSite> {
  const kept = await site.reader.checkpoint();
  expect(kept).toBeDefined();
  const checkpoint = readCheckpoint(utf8Of(kept?.note ?? ''));
  const entries: SiteEntry[] = [];
  while (entries.length < checkpoint.size) {
    const more = await site.reader.entries(entries.length, checkpoint.size);
    expect(more.length).toBeGreaterThan(0);
    entries.push(...more);
  }
  expect(entries.map(({ index }) => index)).toEqual([...entries.keys()]);
  const leaves = entries.map(({ text }) => leafHash(sha256, utf8Of(text)));
  expect(sameBytes(rootOf(sha256, leaves), checkpoint.root)).toBe(true);
  const statements = entries
    .filter(({ kind }) => kind === 'keys')
    .map(({ text }) => readNote(text));
  const ring = KeyRing.of(nodeCryptography, statements);
  const signatures = signaturesOf(
    nodeCryptography,
    checkpoint.note,
    ring.logKeysAt(checkpoint.size),
  );
  expect(signatures.length).toBeGreaterThan(0);
  expect(signatures.every(({ good }) => good)).toBe(true);
  const seals = entries.filter(({ kind }) => kind === 'seal').map(({ text }) => readSeal(text));
  for (const [at, seal] of seals.entries()) {
    const before = seals[at - 1];
    if (before) expect(faultAfter(before, seal)).toBeUndefined();
  }
  await expectHeads(site, seals);
  return {
    seals: seals.length,
    records: seals.at(-1)?.next.reduce((sum, next) => sum + next, 0) ?? 0,
    days: seals.flatMap(({ day }) => (day === undefined ? [] : [day])),
  };
}

async function recordsOf(log: EventLog, partition: number, next: number): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  while (found.length < next) found.push(...(await log.read(partition, found.length)));
  return found;
}

async function expectHeads(
  site: Site,
  seals: readonly ReturnType<typeof readSeal>[],
): Promise<void> {
  const last = seals.at(-1);
  if (!last) return;
  const stored = await Promise.all(last.next.map((next, at) => recordsOf(site.log, at, next)));
  const names: string[] = [];
  const trees = new Map<string, Frontier>();
  const done = last.next.map(() => 0);
  for (const seal of seals) {
    for (const [partition, next] of seal.next.entries()) {
      const from = done[partition] ?? 0;
      for (const { key, value } of (stored[partition] ?? []).slice(from, next)) {
        const isTable = key !== '' && Buffer.byteLength(key) <= 16_384;
        const table = isTable ? key : `@unkeyed-${partition}`;
        const tree = trees.get(table) ?? new Frontier(sha256);
        tree.append(leafHash(sha256, value));
        trees.set(table, tree);
      }
      done[partition] = next;
    }
    const known = new Set(names);
    const fresh = [...trees.keys()].filter((table) => !known.has(nameOfTable(table)));
    fresh.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    names.push(...fresh.map(nameOfTable));
    const byName = new Map([...trees].map(([table, tree]) => [nameOfTable(table), tree]));
    const heads = names.map((name) => {
      const tree = byName.get(name) ?? new Frontier(sha256);
      const head = { origin: seal.origin, name, size: tree.size, root: tree.root() };
      return leafHash(sha256, utf8Of(headText(head)));
    });
    expect(seal.tables).toBe(names.length);
    expect(sameBytes(seal.names, sha256(utf8Of(namesText(names))))).toBe(true);
    expect(sameBytes(seal.heads, rootOf(sha256, heads))).toBe(true);
  }
}

/** Checks that all checkpoints are of one history: each is the beginning of the next. */
export async function expectOneHistory(
  site: Site,
  checkpoints: readonly SignedCheckpoint[],
): Promise<void> {
  const bySize = checkpoints.toSorted((one, other) => one.size - other.size);
  for (const [at, after] of bySize.entries()) {
    const before = bySize[at - 1];
    if (!before) continue;
    const sizes = { from: before.size, to: after.size };
    const proof = await consistencyProof(sha256, sizes, site.reader.nodes('site', after.size));
    const claim = { ...sizes, fromRoot: before.root, toRoot: after.root };
    expect(verifyConsistency(sha256, claim, proof)).toBe(true);
  }
}
