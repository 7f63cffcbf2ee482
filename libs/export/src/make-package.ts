import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
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
import { packageContent, type ExportAsked, type ExportParts } from './package-content.js';
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
  readonly progress: (step: PackageStep) => void;
  readonly signal: AbortSignal;
}

/** A package that was made and that its own verifier found intact. */
export interface MadePackage {
  readonly id: string;
  /** SHA-256 of the file in hexadecimal digits. */
  readonly sha256: string;
  readonly size: number;
  /** The size of the checkpoint. */
  readonly checkpoint: number;
  readonly records: number;
  readonly warnings: readonly string[];
}

/**
 * Makes the package of one table as a zip file, and verifies it before it is packed. Throws
 * `ExportRefusal` if it cannot be made or is not intact, and the reason of the signal if that is
 * aborted. Leaves no file then.
 */
export async function makePackage(
  parts: ExportParts,
  making: PackageMaking,
  asked: ExportAsked,
  out: PackageOut,
): Promise<MadePackage> {
  const step = (name: PackageStep): void => {
    out.signal.throwIfAborted();
    out.progress(name);
  };
  await rm(out.work, { recursive: true, force: true });
  await mkdir(out.work, { recursive: true });
  try {
    step('choosing');
    const content = await packageContent(parts, asked);
    step('writing');
    const place = new WorkFolder(out);
    const { files } = await writePackage(content, place, making.platform, making.exportsKey);
    const list = place.list(asked.id, files);
    step('verifying');
    const report = await verifyPackage(list, making.trust, making.replay, making.platform);
    refuseUnlessIntact(report);
    step('packing');
    const packed = await pack(list, asked.id, out);
    step('made');
    return {
      ...{ id: asked.id, ...packed, checkpoint: content.size, records: report.counts.records },
      warnings: report.warnings,
    };
  } finally {
    await rm(out.work, { recursive: true, force: true });
  }
}

function refuseUnlessIntact({ verdict, faults: [fault] }: PackageReport): void {
  if (verdict === 'INTACT') return;
  const where = fault?.file === undefined ? '' : `${fault.file}: `;
  throw new ExportRefusal('not-intact', `${where}${fault?.message ?? verdict}`);
}

/** The files of a package in a folder, before they are packed. */
class WorkFolder implements PackagePlace {
  constructor(private readonly out: PackageOut) {}

  async create(path: string) {
    const { work, signal } = this.out;
    const file = join(work, path);
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(file, 'wx');
    return {
      write: async (bytes: Uint8Array): Promise<void> => {
        signal.throwIfAborted();
        await handle.writeFile(bytes);
      },
      close: () => handle.close(),
    };
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
