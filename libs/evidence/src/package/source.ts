/** The bytes of an archive, of which any range can be read. */
export interface Bytes {
  readonly size: number;
  /** Returns `length` bytes from `from` on, in chunks of at most 1 MB. */
  read(from: number, length: number): AsyncIterable<Uint8Array>;
}

/** A file of a package. */
export interface PackageFile {
  /** Within the folder of the package, such as `data/package.json`. */
  readonly path: string;
  /** Its size, as the archive or the file system declares it. */
  readonly bytes: number;
  /**
   * Returns the content from the start, in chunks of at most 1 MB. A chunk is good until the next
   * is asked for. Throws `DamagedFile` if it ends early, goes on beyond `bytes` or cannot be
   * unpacked.
   */
  open(): AsyncIterable<Uint8Array>;
}

/** The files of a package, from an archive or a folder. */
export interface PackageSource {
  /** The name of the one folder that holds them. */
  readonly folder: string;
  /** By path. */
  readonly files: ReadonlyMap<string, PackageFile>;
}

/** Thrown for an archive or a folder that is not a package, or that cannot be read safely. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Thrown while a file is read, if its content is not as its archive declares. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** Most files of a package: 6 of each table, and some. */
const FILES_MAX = 262_144;
/** Longest path in characters. */
const PATH_MAX = 1_024;

/**
 * Collects the files of a package under their paths within its one folder. Refuses what could be
 * written outside that folder, or is there twice.
 */
export class FileList implements PackageSource {
  readonly files = new Map<string, PackageFile>();
  private outer: string | undefined;

  /** Throws `Unreadable` if no file was added. */
  get folder(): string {
    if (this.outer === undefined) throw new Unreadable('it contains no file');
    return this.outer;
  }

  /** Adds the file `name`, which begins with the folder. Throws `Unreadable` for an unsafe name. */
  add(name: string, bytes: number, open: () => AsyncIterable<Uint8Array>): void {
    checkName(name);
    const slash = name.indexOf('/');
    if (slash < 0) throw new Unreadable(`${quoted(name)} is not in the folder of a package`);
    const folder = name.slice(0, slash);
    this.outer ??= folder;
    if (folder !== this.outer)
      throw new Unreadable(`${quoted(name)} is not in the folder ${quoted(this.outer)}`);
    const path = name.slice(slash + 1);
    if (this.files.has(path)) throw new Unreadable(`${quoted(name)} is there twice`);
    if (this.files.size >= FILES_MAX) throw new Unreadable(`it has more than ${FILES_MAX} files`);
    this.files.set(path, { path, bytes, open });
  }
}

/**
 * Throws `Unreadable` for a name that is absolute, climbs, is not the same on every system, or has
 * characters that cannot be seen.
 */
export function checkName(name: string): void {
  if (name.length > PATH_MAX && Array.from(name).length > PATH_MAX)
    throw new Unreadable(`a name is longer than ${PATH_MAX} characters`);
  if (/[\u0000-\u001f\u007f-\u009f\\:]/.test(name))
    throw new Unreadable(`the name ${quoted(name)} has a character that a name must not have`);
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw new Unreadable(`the name ${quoted(name)} does not lead to a place inside the package`);
}

/** Returns a name as JSON writes it, shortened. */
const quoted = (name: string): string =>
  JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
