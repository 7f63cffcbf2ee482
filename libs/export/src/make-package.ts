import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  FileList,
  verifyPackage,
  writePackage,
  type PackagePlace,
  type Platform,
  type Replay,
  type PackageReport,
  type Signer,
  type Trust,
} from '#evidence';
import { writeZip } from '#evidence/zip';
import type { ExportAsked, ExportParts } from './asked.js';
import { packageContent } from './package-content.js';
import { RecordFile } from './record-file.js';
import { ExportRefusal } from './refusal.js';

/** What makes a package beside its content. */
export interface PackageMaking {
  readonly platform: Platform;
  readonly exportsKey: Signer;
  /** What the maker trusts when it verifies its own package. */
  readonly trust: Trust;
  /** Judges as the verifier of a reader does. */
  readonly replay: Replay;
}

/** What is done of a package, in order. */
export type PackageStep = 'choosing' | 'writing' | 'verifying' | 'packing' | 'made';

/** Where a package goes. */
export interface PackageOut {
  /** The zip file. It appears whole, or not at all. */
  readonly file: string;
  /** A folder for work. It is emptied first, so that making can begin again after a kill. */
  readonly work: string;
  /** Reports each step, and the share of it that is done, from 0 to 1, where that is known. */
  readonly progress: (step: PackageStep, share?: number) => void;
  readonly signal: AbortSignal;
}

/** A package that was made. Its own verifier found it intact, unless it was asked for as it is. */
export interface MadePackage {
  readonly id: string;
  /** SHA-256 of the file in hexadecimal digits. */
  readonly sha256: string;
  readonly size: number;
  /** The size of the checkpoint, and its note. */
  readonly checkpoint: number;
  readonly note: string;
  /** The note of the exports key. */
  readonly receipt: string;
  readonly records: number;
  readonly warnings: readonly string[];
}

/**
 * Makes a package as a zip file, and verifies it before it is packed. Throws `ExportRefusal` if it
 * cannot be made or is not intact, and the reason of the signal if that is aborted. Leaves no file
 * then.
 */
export async function makePackage(
  parts: ExportParts,
  making: PackageMaking,
  asked: ExportAsked,
  out: PackageOut,
): Promise<MadePackage> {
  const step = (name: PackageStep, share?: number): void => {
    out.signal.throwIfAborted();
    out.progress(name, share);
  };
  try {
    let { content, list, report } = await verifiedPackage(parts, making, { asked, out, step });
    if (report.verdict !== 'INTACT') {
      const faults = faultsOf(report);
      if (!asked.asItIs) throw new ExportRefusal('not-intact', faults[0] ?? report.verdict);
      const warnings = faults.map((fault) => `this package is not intact: ${fault}`);
      ({ content, list, report } = await verifiedPackage(parts, making, {
        ...{ asked, out, step, warnings },
      }));
    }
    step('packing');
    const receipt = await readFile(join(out.work, 'receipt'), 'utf8');
    const packed = await pack(list, content.id, out);
    step('made');
    return {
      ...{ id: content.id, ...packed, checkpoint: content.size, note: content.site.checkpoint },
      ...{ receipt, records: report.counts.records, warnings: report.warnings },
    };
  } finally {
    await rm(out.work, { recursive: true, force: true });
  }
}

/** How a package is made that is not packed yet. */
interface Attempt {
  readonly asked: ExportAsked;
  readonly out: PackageOut;
  readonly step: (name: PackageStep, share?: number) => void;
  /** What the package holds in addition to its own warnings. */
  readonly warnings?: readonly string[];
}

/** Writes the files of a package into the empty work folder, and verifies them. */
async function verifiedPackage(parts: ExportParts, making: PackageMaking, attempt: Attempt) {
  const { work } = attempt.out;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const path = join(work, RECORDS);
  const file = await RecordFile.create(path);
  const written = await writtenPackage(parts, making, attempt, file).finally(() => file.close());
  await rm(path);
  attempt.step('verifying');
  const { trust, replay, platform } = making;
  return { ...written, report: await verifyPackage(written.list, trust, replay, platform) };
}

async function writtenPackage(
  parts: ExportParts,
  { platform, exportsKey }: PackageMaking,
  { asked, out, step, warnings = [] }: Attempt,
  file: RecordFile,
) {
  step('choosing');
  const progress = (share: number): void => step('choosing', share);
  const content = await packageContent(parts, asked, { file, warnings, progress });
  step('writing');
  const place = new WorkFolder(out);
  const { files } = await writePackage(content, place, platform, exportsKey).finally(() =>
    place.close(),
  );
  return { content, list: place.list(content.id, files) };
}

/** What was read of the log, in the work folder. No file of a package has this name. */
const RECORDS = 'records-of-the-log';

/** Returns the faults of a package in words, and last how many are not listed. */
function faultsOf({ faults, counts }: PackageReport): string[] {
  const furtherFaults = counts.faults - faults.length;
  const listed = faults.map(({ file, record, line, message }) => {
    const at = [
      file,
      record === undefined ? undefined : `record ${record}`,
      line === undefined ? undefined : `line ${line}`,
    ].filter((part) => part !== undefined);
    return at.length === 0 ? message : `${at.join(', ')}: ${message}`;
  });
  return furtherFaults > 0 ? [...listed, `and ${furtherFaults} more faults`] : listed;
}

/** The files of a package in a folder, before they are packed. */
class WorkFolder implements PackagePlace {
  private readonly open = new Set<FileHandle>();

  constructor(private readonly out: PackageOut) {}

  async create(path: string) {
    const { work, signal } = this.out;
    const file = join(work, path);
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(file, 'wx');
    this.open.add(handle);
    return {
      write: async (bytes: Uint8Array): Promise<void> => {
        signal.throwIfAborted();
        await handle.writeFile(bytes);
      },
      close: async (): Promise<void> => {
        this.open.delete(handle);
        await handle.close();
      },
    };
  }

  /** Closes the files that a writer left open because it failed. */
  async close(): Promise<void> {
    for (const handle of this.open) await handle.close();
    this.open.clear();
  }

  /** Returns the files as the source of a package in one folder. */
  list(folder: string, files: readonly { readonly path: string; readonly bytes: number }[]) {
    const list = new FileList();
    for (const { path, bytes } of files)
      list.add(`${folder}/${path}`, bytes, () => createReadStream(join(this.out.work, path)));
    return list;
  }
}

/** Packs files into the zip file, under another name until it is whole. */
async function pack(
  list: FileList,
  folder: string,
  { file, signal }: PackageOut,
): Promise<Pick<MadePackage, 'sha256' | 'size'>> {
  const partly = `${file}.part`;
  try {
    const into = createWriteStream(partly, { signal });
    await writeZip(folder, list.files.values(), Writable.toWeb(into));
    const hash = createHash('sha256');
    for await (const block of Readable.from(createReadStream(partly))) hash.update(block as Buffer);
    const { size } = await stat(partly);
    await rename(partly, file);
    return { sha256: hash.digest('hex'), size };
  } catch (error) {
    await rm(partly, { force: true });
    throw error;
  }
}
