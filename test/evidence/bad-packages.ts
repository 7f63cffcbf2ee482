import type { Signer } from '#evidence';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forgedMutants } from './forged-mutants.js';
import { forged } from './forged.js';
import { plainMutants } from './mutants.js';
import type { PackageFiles } from './site-package.js';
import { zipOf, type MadeEntry } from './zip-files.js';

/** A package to make bad ones of. */
export interface WholePackage {
  readonly id: string;
  readonly files: PackageFiles;
  readonly exportsKey: Signer;
}

/** A bad package on the disk. */
export interface BadPackage {
  /** What was done, such as `a zip with changed bytes`. */
  readonly kind: string;
  /** A zip, or a folder. */
  readonly path: string;
  /** Whether the hashes were mended and the receipt was signed again. */
  readonly isSigned: boolean;
  /** What a folder has; undefined for a zip. */
  readonly files?: PackageFiles;
}

type Numbers = (below: number) => number;
type Made = Omit<BadPackage, 'kind' | 'isSigned'>;
/** Stands at the end of the kinds that are signed again. */
const SIGNED = ', signed again';

/** What a change puts into a file: bytes, signs of JSON, text that is not UTF-8, deep JSON. */
const PIECES = [
  '',
  '\n',
  '"',
  '{',
  '}',
  '[',
  '\\ud800',
  'null',
  '-1',
  '1e999',
  '9'.repeat(40),
  '['.repeat(1_000),
  '{"a":'.repeat(1_000),
  Buffer.from([0xc3, 0x28]),
  Buffer.from([0xf0, 0x9f]),
  Buffer.from([0]),
];

/** Returns bytes with a few pieces put in, and a few bytes left out. */
export function changed(bytes: Uint8Array, below: Numbers): Buffer {
  let content = Buffer.from(bytes);
  for (let edits = 1 + below(4); edits > 0; edits -= 1) {
    const at = below(content.length + 1);
    const piece = Buffer.from(PIECES[below(PIECES.length)] ?? '');
    const rest = content.subarray(Math.min(content.length, at + below(3)));
    content = Buffer.concat([content.subarray(0, at), piece, rest]);
  }
  return content;
}

/**
 * Makes bad packages of a whole one, in a folder that they overwrite. The same numbers make the
 * same packages. `linked` in it must be a folder with a link, which a program that may write to one
 * folder cannot make.
 */
export class BadPackages {
  private readonly entries: readonly MadeEntry[];
  private readonly archive: Buffer;
  private readonly mutants: Readonly<Record<'plain' | 'signed', readonly PackageFiles[]>>;

  constructor(
    private readonly folder: string,
    private readonly whole: WholePackage,
    private readonly below: Numbers,
  ) {
    this.entries = this.entriesOf(whole.files);
    this.archive = zipOf(this.entries);
    const { files, exportsKey } = whole;
    this.mutants = {
      plain: Array.from(plainMutants(files), (mutant) => mutant.files),
      signed: Array.from(forgedMutants(files, exportsKey), (mutant) => mutant.files),
    };
  }

  /** Each writes a bad package. */
  private readonly kinds: Readonly<Record<string, () => Made>> = {
    'random bytes': () => this.zip(this.randomBytes(this.below(2_000))),
    'the end of a zip': () => {
      const begin = this.randomBytes(this.below(300));
      return this.zip(Buffer.concat([begin, this.archive.subarray(-this.below(2_000))]));
    },
    'a zip with changed bytes': () => this.zip(this.bytesChanged()),
    'a zip with an odd entry': () => this.zip(zipOf([...this.entries, this.odd()])),
    'a zip with a changed file': () => this.zipWith(this.fileChanged()),
    [`a zip with a changed file${SIGNED}`]: () => this.zipWith(this.signed(this.fileChanged())),
    [`a zip with a changed field${SIGNED}`]: () => this.zipWith(this.picked(this.mutants.signed)),
    'a folder with a changed field': () => this.folderOf(this.picked(this.mutants.plain)),
    'a folder with a changed file': () => this.folderOf(this.fileChanged()),
    [`a folder with a changed file${SIGNED}`]: () => this.folderOf(this.signed(this.fileChanged())),
    'a folder with another file': () => this.oddFolder(),
    'a folder with a link': () => ({ path: join(this.folder, 'linked') }),
  };

  /** Writes another bad package. */
  next(): BadPackage {
    const all = Object.entries(this.kinds);
    const [kind, make] = this.picked(all);
    return { kind, isSigned: kind.endsWith(SIGNED), ...make() };
  }

  private picked<T>(of: readonly T[]): T {
    const one = of[this.below(of.length)];
    if (one === undefined) throw new Error('there is nothing to pick');
    return one;
  }

  private entriesOf(files: PackageFiles): readonly MadeEntry[] {
    return Array.from(files, ([path, content]) => ({ name: this.named(path), content }));
  }

  /** Returns the name in a zip of a file of the package. */
  private named(path: string): string {
    return `${this.whole.id}/${path}`;
  }

  private randomBytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  private bytesChanged(): Buffer {
    const { below } = this;
    const content = Buffer.from(this.archive);
    for (let edits = 1 + below(8); edits > 0; edits -= 1) {
      // The directory is at the end: half of the changes go there.
      const place = below(2) === 0 ? below(content.length) : content.length - 1 - below(900);
      content[place] = below(256);
    }
    return content;
  }

  private odd(): MadeEntry {
    const { below } = this;
    const content = 'x'.repeat(below(200));
    const all: readonly Partial<MadeEntry>[] = [
      { name: this.named('../x') },
      { name: '/etc/passwd' },
      { name: this.named('data/package.json') },
      { mode: 0o120777 },
      { mode: 0o060644 },
      { flags: 1 },
      { flags: 0x41 },
      { method: 12 },
      { size: 4e9 },
      { size: 4e9, zip64: true },
      { at: 0 },
      { at: below(5_000) },
      { after: true, size: 1 },
      { localName: this.named('y') },
      { crc: 7 },
    ];
    return { name: this.named('x'), content, ...this.picked(all) };
  }

  private fileChanged(): PackageFiles {
    const { files } = this.whole;
    const path = this.picked([...files.keys()]);
    return new Map(files).set(path, changed(files.get(path) ?? Buffer.alloc(0), this.below));
  }

  private signed(files: PackageFiles): PackageFiles {
    const { whole } = this;
    // a receipt that is changed cannot be signed again
    return files.get('receipt') === whole.files.get('receipt')
      ? forged(files, whole.exportsKey)
      : files;
  }

  private zipWith(files: PackageFiles): Made {
    return this.zip(zipOf(this.entriesOf(files)));
  }

  private zip(bytes: Uint8Array): Made {
    const path = join(this.folder, 'package.zip');
    writeFileSync(path, bytes);
    return { path };
  }

  private folderOf(files: PackageFiles): Made {
    const path = join(this.folder, 'package');
    rmSync(path, { recursive: true, force: true });
    for (const [name, bytes] of files) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), bytes);
    }
    return { path, files };
  }

  /** Writes a folder with something in it that is not of a package. */
  private oddFolder(): Made {
    const files = new Map(this.below(2) === 0 ? this.whole.files : []);
    files.set(`${'deep/'.repeat(this.below(20))}x`, this.randomBytes(this.below(200)));
    return this.folderOf(files);
  }
}
