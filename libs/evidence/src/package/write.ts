import { hexOf, utf8Of } from '../bytes.js';
import type { Signer } from '../cryptography.js';
import { noteText, signText } from '../notes/note.js';
import { namesText } from '../site/head.js';
import { PACKAGE_FORMAT, receiptText } from '../site/receipt.js';
import { leafHash } from '../tree/merkle.js';
import { DECLARATION, infoText, manifestText, PAYLOAD, TAG_FILES } from './bag-files.js';
import type { Platform } from '../checks/examination.js';
import {
  headForm,
  leafForm,
  packageForm,
  provenRecordForm,
  RECORD_COLUMNS,
  sinceForm,
  siteProofForm,
  tableProofForm,
} from './files.js';
import type {
  PackageStatement,
  ProvenRecord,
  PackedHead,
  Since,
  SiteLeaf,
  SiteProof,
  TableProof,
} from './files.js';
import { writeJson, type FileForm } from './forms.js';
import type { RunningSha256 } from './reading.js';
import { checkText } from './record-stream.js';
import { JUDGED_FILES, ruleFile, type JudgedFile } from './replay.js';
import { SITE_FILES, tableFile } from './site-files.js';

/** Values that come one after another, from memory or from a store. */
type Stream<T> = Iterable<T> | AsyncIterable<T>;

/** A record with its place in the log. */
export interface PackedRecord {
  readonly value: Uint8Array;
  readonly partition: number;
  readonly offset: number;
  /** The leaf that was sealed, if it may be another than that of the value. */
  readonly leaf?: Uint8Array | undefined;
}

/** One table of a package to write. The records are read once, then the rest. */
export interface PackedTable extends Omit<
  PackageStatement['tables'][number],
  'records' | 'events'
> {
  readonly rows: Stream<PackedRecord>;
  readonly heads: Stream<PackedHead>;
  readonly proof: TableProof;
  readonly context: Stream<ProvenRecord>;
  readonly later: Stream<ProvenRecord>;
}

/** All that a package holds. Streams are read once, in the order of these fields. */
export interface PackageContent extends Omit<PackageStatement, 'format' | 'tables' | 'rules'> {
  /** In the order of their numbers. */
  readonly tables: readonly PackedTable[];
  readonly site: {
    /** The signed note. */
    readonly checkpoint: string;
    readonly names: readonly string[];
    readonly leaves: Stream<SiteLeaf>;
    readonly proof: SiteProof;
    readonly since: Since;
  };
  /** Rule documents byte for byte, by id, such as `punto-banco@1` and `policies/review@1`. */
  readonly rules: ReadonlyMap<string, Uint8Array>;
  /** What judging the records makes, line by line. */
  readonly judged: Readonly<Record<JudgedFile, Stream<string>>>;
  /** Derived reports, by their names in data/reports. */
  readonly reports: ReadonlyMap<string, Uint8Array>;
  /** The text of VERIFY.txt. */
  readonly howToVerify: string;
}

/** Where the files of a package are put together. */
export interface PackagePlace {
  /** Opens a new file. Only one is open at a time for `write`; `records.csv` is the other. */
  create(path: string): Promise<PlacedFile>;
}

/** A file that is written from its start. */
export interface PlacedFile {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A package that was written. */
export interface WrittenPackage {
  readonly statement: PackageStatement;
  /** All files with their sizes, in the order of the archive. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** SHA-256 of `tagmanifest-sha256.txt`, which the receipt names. */
  readonly tagManifest: Uint8Array;
}

/**
 * Writes the files of a package: the payload, the tag files of BagIt, and the receipt by the
 * exports key. Memory does not grow with the records.
 */
export async function writePackage(
  content: PackageContent,
  place: PackagePlace,
  platform: Platform,
  exportsKey: Signer,
): Promise<WrittenPackage> {
  return new PackageWriter(place, platform).write(content, exportsKey);
}

/** Bytes that are collected before they are written. */
const BLOCK = 64 * 1024;
/** Characters of records.csv that become bytes at once. */
const PLACES = 8 * 1024;

class PackageWriter {
  private readonly digests = new Map<string, string>();
  private readonly sizes = new Map<string, number>();

  constructor(
    private readonly place: PackagePlace,
    private readonly platform: Platform,
  ) {}

  async write(content: PackageContent, exportsKey: Signer): Promise<WrittenPackage> {
    const tables: PackageStatement['tables'][number][] = [];
    for (const table of content.tables) tables.push(await this.table(table));
    await this.site(content.site);
    for (const [id, document] of content.rules) await this.file(ruleFile(id), [document]);
    for (const name of JUDGED_FILES) await this.lines(`data/${name}`, content.judged[name]);
    for (const [name, bytes] of content.reports) await this.file(`data/reports/${name}`, [bytes]);
    const statement = this.statement(content, tables);
    await this.json(SITE_FILES.statement, packageForm, statement);
    const tagManifest = await this.tagFiles(content, exportsKey);
    const files = [...this.sizes].map(([path, bytes]) => ({ path, bytes }));
    return { statement, files, tagManifest };
  }

  private statement(
    { id, origin, size, scope, range, all, gamingDays, ...content }: PackageContent,
    tables: PackageStatement['tables'],
  ): PackageStatement {
    const rules = [...content.rules.keys()].map((rule) => ({
      id: rule,
      sha256: this.digests.get(ruleFile(rule)) ?? '',
    }));
    const { unjudged, software, warnings } = content;
    return {
      ...{ format: PACKAGE_FORMAT, id, origin, size, scope, range, all, tables, rules },
      ...{ gamingDays, unjudged, software, warnings },
    };
  }

  private async table(table: PackedTable): Promise<PackageStatement['tables'][number]> {
    const { name, number, first, shoes } = table;
    const counts = await this.records(table);
    await this.jsonLines(tableFile(number, 'heads.ndjson'), headForm, table.heads);
    await this.json(tableFile(number, 'proof.json'), tableProofForm, table.proof);
    const { context, later } = table;
    await this.jsonLines(tableFile(number, 'context.ndjson'), provenRecordForm, context);
    await this.jsonLines(tableFile(number, 'later.ndjson'), provenRecordForm, later);
    return { table: table.table, name, number, first, ...counts, shoes };
  }

  /** Writes the records and where each is. Returns how many there are, and how many lines. */
  private async records({
    number,
    first,
    rows,
  }: PackedTable): Promise<{ records: number; events: number }> {
    const values = await this.open(tableFile(number, 'events.ndjson'));
    const index = await this.open(tableFile(number, 'records.csv'));
    await index.text(`${RECORD_COLUMNS.join(',')}\n`);
    let records = 0;
    let events = 0;
    let places = '';
    for await (const { value, partition, offset, leaf } of rows) {
      const lines = linesIn(value);
      const check = checkText(leaf ?? leafHash(this.platform.sha256, value));
      // waiting for each would cost more than most records
      if (!values.add(value)) await values.bytes(value);
      if (!values.add(LINE_FEED)) await values.bytes(LINE_FEED);
      places += `${first + records},${value.length},${lines},${partition},${offset},${check}\n`;
      if (places.length >= PLACES) {
        await index.text(places);
        places = '';
      }
      records += 1;
      events += lines;
    }
    await index.text(places);
    await this.close(values);
    await this.close(index);
    return { records, events };
  }

  private async site(site: PackageContent['site']): Promise<void> {
    await this.file(SITE_FILES.checkpoint, [utf8Of(site.checkpoint)]);
    await this.file(SITE_FILES.names, [utf8Of(namesText(site.names))]);
    await this.jsonLines(SITE_FILES.leaves, leafForm, site.leaves);
    await this.json(SITE_FILES.proof, siteProofForm, site.proof);
    await this.json(SITE_FILES.since, sinceForm, site.since);
  }

  private async tagFiles(
    { id, origin, howToVerify }: PackageContent,
    key: Signer,
  ): Promise<Uint8Array> {
    const payload = [...this.sizes].filter(([path]) => path.startsWith(PAYLOAD));
    const bytes = payload.reduce((sum, [, size]) => sum + size, 0);
    const manifest = manifestText(this.digests);
    const tagged = new Set<string>();
    const tag = async (path: string, text: string): Promise<void> => {
      tagged.add(path);
      await this.file(path, [utf8Of(text)]);
    };
    await tag(TAG_FILES.verify, howToVerify);
    await tag(TAG_FILES.info, infoText(id, { bytes, files: payload.length }));
    await tag(TAG_FILES.declaration, DECLARATION);
    await tag(TAG_FILES.manifest, manifest);
    const listed = [...this.digests].filter(([path]) => tagged.has(path));
    const tagManifest = utf8Of(manifestText(new Map(listed)));
    await this.file(TAG_FILES.tagManifest, [tagManifest]);
    const digest = this.platform.sha256(tagManifest);
    const text = receiptText({ origin, package: id, tagManifest: digest });
    const signatures = [signText(this.platform.sha256, text, key)];
    await this.file(TAG_FILES.receipt, [utf8Of(noteText({ text, signatures }))]);
    return digest;
  }

  private json<T>(path: string, form: FileForm<T>, value: T): Promise<void> {
    return this.lines(path, [writeJson(form, value)]);
  }

  private async jsonLines<T>(path: string, form: FileForm<T>, values: Stream<T>): Promise<void> {
    const file = await this.open(path);
    for await (const value of values) await file.text(`${writeJson(form, value)}\n`);
    await this.close(file);
  }

  private async lines(path: string, lines: Stream<string>): Promise<void> {
    const file = await this.open(path);
    for await (const line of lines) await file.text(`${line}\n`);
    await this.close(file);
  }

  private async file(path: string, parts: readonly Uint8Array[]): Promise<void> {
    const file = await this.open(path);
    for (const part of parts) await file.bytes(part);
    await this.close(file);
  }

  private async open(path: string): Promise<WritingFile> {
    return new WritingFile(path, await this.place.create(path), this.platform.startSha256());
  }

  private async close(file: WritingFile): Promise<void> {
    const { digest, size } = await file.close();
    this.digests.set(file.path, hexOf(digest));
    this.sizes.set(file.path, size);
  }
}

const LINE_FEED = Uint8Array.of(0x0a);

function linesIn(value: Uint8Array): number {
  let lines = value.length === 0 ? 0 : 1;
  for (let at = value.indexOf(0x0a); at >= 0; at = value.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

/** A file that is hashed and counted while it is written, in blocks. */
class WritingFile {
  private readonly block = new Uint8Array(BLOCK);
  private filled = 0;
  private size = 0;

  constructor(
    readonly path: string,
    private readonly file: PlacedFile,
    private readonly hash: RunningSha256,
  ) {}

  async text(text: string): Promise<void> {
    await this.bytes(utf8Of(text));
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    if (this.add(bytes)) return;
    await this.flush();
    if (!this.add(bytes)) await this.pass(bytes);
  }

  /** Adds bytes without waiting. Returns false, and adds none, if the block has no room for them. */
  add(bytes: Uint8Array): boolean {
    if (this.filled + bytes.length > BLOCK) return false;
    this.block.set(bytes, this.filled);
    this.filled += bytes.length;
    return true;
  }

  async close(): Promise<{ digest: Uint8Array; size: number }> {
    await this.flush();
    await this.file.close();
    return { digest: this.hash.digest(), size: this.size };
  }

  private async flush(): Promise<void> {
    if (this.filled > 0) await this.pass(this.block.slice(0, this.filled));
    this.filled = 0;
  }

  private async pass(bytes: Uint8Array): Promise<void> {
    this.hash.update(bytes);
    this.size += bytes.length;
    await this.file.write(bytes);
  }
}
