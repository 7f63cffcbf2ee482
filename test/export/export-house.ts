import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  readVkey,
  verifyPackage,
  type PackageContent,
  type PackageReport,
  type PackageSource,
  type SignedCheckpoint,
  type Trust,
} from '#evidence';
import { nodeCryptography, nodePlatform, signerOf } from '#evidence/node';
import { canonicalLine } from '#audit';
import { startAuditor, type RunningAuditor } from '#auditor';
import type { EventLog } from '#event-log';
import {
  makePackage,
  packageContent,
  RecordFile,
  type ExportAsked,
  type ExportParts,
  type MadePackage,
  type PackageStep,
} from '#export';
import { gamingDays, migrate, PackageRows } from '#read-model';
import { packageReplay } from '#replay';
import type { RunningSealer } from '#sealer';
import { SILENT } from '#server';
import { openPackage } from '../../apps/cli/src/verify/package-files.js';
import type { PackageFiles } from '../evidence/site-package.js';
import type { Sent } from '../kit/audit.js';
import { eventually } from '../kit/eventually.js';
import { BOOK } from '../kit/house.js';
import { UTC_DAYS } from '../kit/server.js';
import { shortTable, type ShortTable } from '../kit/short-table.js';
import { Site } from '../sealer/site.js';

const { sha256 } = nodeCryptography;
const published = JSON.parse(
  readFileSync(new URL('../../rules/manifest.json', import.meta.url), 'utf8'),
) as Record<string, string>;
const judging = { published, sha256, gamingDays };
/** Judges as a reader's verifier does. */
const VERIFYING = packageReplay({ ...judging, warnings: 'checked' });

/** What a test asks for, if it says nothing else. */
const PLAINLY = { since: [], formats: [], asItIs: false } as const;
/** A request of a scope. */
export const asking = (
  scope: ExportAsked['scope'],
  changed: Partial<ExportAsked> = {},
): ExportAsked => ({ ...PLAINLY, scope, ...changed });

/** A made package and where it lies. */
export interface Exported extends MadePackage {
  readonly file: string;
}

/** A house whose log is sealed and folded, so that packages can be made of it. */
export class ExportHouse {
  private sealer: RunningSealer | undefined;
  private daysClosed = 0;
  private made = 0;

  private constructor(
    readonly site: Site,
    readonly auditor: RunningAuditor,
    readonly rows: PackageRows,
  ) {}

  static async open(open?: (databaseUrl: string) => Promise<EventLog>): Promise<ExportHouse> {
    const site = await Site.open(open);
    const { url: databaseUrl } = site.database;
    await migrate(databaseUrl);
    const auditor = await startAuditor({
      ...{ log: site.log, databaseUrl, book: BOOK, gamingDays: UTC_DAYS, journal: SILENT },
    });
    const house = new ExportHouse(site, auditor, await PackageRows.open(databaseUrl));
    house.sealer = await site.start();
    return house;
  }

  /** Appends events of a table, so many to a record. */
  async record(table: string, events: readonly Sent[], size = 4): Promise<void> {
    const lines = events.map((event) => canonicalLine(JSON.stringify(event)));
    const records: string[] = [];
    for (let at = 0; at < lines.length; at += size)
      records.push(lines.slice(at, at + size).join('\n'));
    for (let at = 0; at < records.length; at += 200)
      await this.site.append(table, ...records.slice(at, at + 200));
  }

  /** Waits until everything is sealed and in the rows. Returns the checkpoint. */
  async settled(): Promise<SignedCheckpoint> {
    const heads = await this.site.heads();
    await eventually(`rows up to ${heads.join(' ')}`, async () => {
      const reached = await Promise.all(heads.map((_, at) => this.rows.reached(at)));
      return reached.every((next, at) => next >= (heads[at] ?? 0)) ? true : undefined;
    });
    return this.site.sealedAll();
  }

  /** Has the sealer close the next gaming day. Returns the day. */
  async closeDay(): Promise<string> {
    await this.settled();
    if (this.sealer) await this.site.stop(this.sealer);
    await this.site.expireLease();
    this.daysClosed += 1;
    const graceMs = -this.daysClosed * 86_400_000;
    const before = await this.site.reader.lastDaySeal();
    this.sealer = await this.site.start({ rhythm: { everyMs: 100, records: 50_000, graceMs } });
    return eventually('the seal of the day', async () => {
      const last = await this.site.reader.lastDaySeal();
      const kept = await this.site.reader.checkpoint();
      const isSigned = last && kept && kept.size > last.index;
      return isSigned && last.day !== before?.day ? last.day : undefined;
    });
  }

  parts(changed: Partial<ExportParts> = {}): ExportParts {
    return {
      log: this.site.log,
      seals: this.site.reader,
      rows: this.rows,
      sha256,
      book: BOOK,
      replay: (taker) => packageReplay({ ...judging, warnings: 'made', taker }),
      gamingDays: UTC_DAYS,
      software: { name: 'shoeprint', version: '0.1.0', commit: 'test', fold: VERIFYING.fold },
      howToVerify: 'node shoeprint-verify.mjs PACKAGE --key KEY\n',
      ...changed,
    };
  }

  keyOf(file: string) {
    return signerOf(readFileSync(join(this.site.folder, 'keys', file), 'utf8'));
  }

  get trust(): Trust {
    const keys = [readVkey(sha256, this.keyOf('log.key').vkey)];
    return { keys, checkpoints: [], witnesses: [], quorum: 0 };
  }

  /** Returns what a package would hold. What it yields later cannot be read. */
  async content(asked: ExportAsked): Promise<PackageContent> {
    this.made += 1;
    const file = await RecordFile.create(join(this.site.folder, `records-${this.made}`));
    return packageContent(this.parts(), asked, { file }).finally(() => file.close());
  }

  /** Makes a package as a file. */
  async make(
    asked: ExportAsked,
    {
      changed = {},
      signal = new AbortController().signal,
      progress = () => undefined,
    }: {
      readonly changed?: Partial<ExportParts>;
      readonly signal?: AbortSignal;
      readonly progress?: (step: PackageStep) => void;
    } = {},
  ): Promise<Exported> {
    this.made += 1;
    const file = join(this.site.folder, `package-${this.made}.zip`);
    const work = join(this.site.folder, `work-${this.made}`);
    const exportsKey = this.keyOf('exports.key');
    const made = await makePackage(
      this.parts(changed),
      { platform: nodePlatform, exportsKey, trust: this.trust, replay: VERIFYING },
      asked,
      { file, work, progress, signal },
    );
    return { ...made, file };
  }

  /** Verifies a file as a reader does who holds the key of the log. */
  async verified(file: string, trust: Partial<Trust> = {}): Promise<PackageReport> {
    const opened = await openPackage(file);
    try {
      return await this.verifiedSource(opened.source, trust);
    } finally {
      await opened.close();
    }
  }

  /** Verifies a package as a reader does who holds the key of the log. */
  verifiedSource(source: PackageSource, trust: Partial<Trust> = {}): Promise<PackageReport> {
    return verifyPackage(source, { ...this.trust, ...trust }, VERIFYING, nodePlatform);
  }

  /**
   * Verifies a file with the second verifier, and returns its first word; `undefined` if python3 is
   * missing.
   */
  secondWord(file: string): string | undefined {
    const program = fileURLToPath(new URL('../evidence/verify.py', import.meta.url));
    const key = this.keyOf('log.key').vkey;
    const args = ['-B', '-W', 'ignore', program, file, '--key', key];
    const { error, stdout } = spawnSync('python3', args, { encoding: 'utf8' });
    return error ? undefined : stdout.split(/\s/)[0];
  }

  /** Makes a package, and returns what a reader's verifier says of it. */
  async report(asked: ExportAsked, trust: Partial<Trust> = {}): Promise<PackageReport> {
    const { file } = await this.make(asked);
    return this.verified(file, trust);
  }

  async close(): Promise<void> {
    await this.auditor.close();
    await this.rows.close();
    await this.site.close();
  }
}

/** Returns the text of a file in a package. */
export const fileIn = async (exported: Exported, path: string): Promise<string> =>
  Buffer.from(await bytesIn(exported, path)).toString('utf8');

/** Returns the bytes of a file in a package. */
export async function bytesIn(exported: Exported, path: string): Promise<Uint8Array> {
  const opened = await openPackage(exported.file);
  try {
    const blocks: Uint8Array[] = [];
    const file = opened.source.files.get(path);
    if (!file) throw new Error(`the package has no ${path}`);
    for await (const block of file.open()) blocks.push(block);
    return Buffer.concat(blocks);
  } finally {
    await opened.close();
  }
}

/** Returns all files of a package. */
export async function filesIn(path: string): Promise<PackageFiles> {
  const opened = await openPackage(path);
  try {
    const files = new Map<string, Uint8Array>();
    for (const [name, file] of opened.source.files) {
      const blocks: Uint8Array[] = [];
      for await (const block of file.open()) blocks.push(Uint8Array.from(block));
      files.set(name, Buffer.concat(blocks));
    }
    return files;
  } finally {
    await opened.close();
  }
}

/** Returns the events of a table, each device with its numbers, with wrong outcomes declared. */
export function playedAt(table: string, asked: Partial<ShortTable> = {}): Sent[] {
  const numbers = new Map<unknown, number>();
  const log = shortTable({
    ...{ rules: 'punto-banco@1', seed: 3, bets: true, shoes: 5, coups: 4 },
    ...asked,
  });
  return log.map((event, i) => {
    const data = event.data as Sent;
    const isWrong = event.type === 'shoeprint.outcome-declared.v1' && i % 2 === 0;
    const spoiled = { ...event, table, ...(isWrong && { data: { ...data, outcome: 'tie' } }) };
    if (event.session === undefined) return spoiled;
    const sequence = (numbers.get(event.source) ?? 0) + 1;
    numbers.set(event.source, sequence);
    return { ...spoiled, sequence, id: `1/${sequence}` };
  });
}

/** Returns the ids of the shoes that events open, in order. */
export const shoesOf = (events: readonly Sent[]): string[] =>
  events.flatMap(({ type, shoe }) => (type === 'shoeprint.shoe-opened.v1' ? [String(shoe)] : []));
