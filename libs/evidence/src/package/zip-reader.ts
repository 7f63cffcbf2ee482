import { checkName, DamagedFile, FileList, Unreadable, type Bytes } from './source.js';
import type { PackageSource } from './source.js';

/** What a platform does for the reader. */
export interface Unpack {
  /** Inflates raw deflated bytes. Rejects for bytes that are not deflated. */
  inflate(packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Continues a CRC-32, which starts at 0. */
  crc32(bytes: Uint8Array, before: number): number;
}

/** Largest central directory: 262,144 entries of 128 bytes. */
const DIRECTORY_BYTES_MAX = 32 * 1024 * 1024;
const END = 0x06054b50;
const END_BYTES = 22;
const COMMENT_MAX = 0xffff;
const END64 = 0x06064b50;
const END64_BYTES = 56;
const LOCATOR64 = 0x07064b50;
const LOCATOR64_BYTES = 20;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const IN_ZIP64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
/** The flags that a reader can take: levels of deflate, sizes after the data, names in UTF-8. */
const FLAGS_KNOWN = 0x0806;
const SIZES_AFTER = 0x0008;
const ENCRYPTED = 0x2041;

/** Events deflate by 15 times. An entry of more than this expands by at most that. */
const EXPANDED_UNSEEN = 16 * 1024 * 1024;
const EXPANSION_MAX = 200;
/** The newest version of the format, 6.3. */
const VERSION_MAX = 63;

/** An entry as the central directory declares it. */
interface Entry {
  readonly name: string;
  readonly rawName: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

/**
 * Opens a zip archive. Takes stored and deflated entries, zip64 or not. Throws `Unreadable` for an
 * archive that two programs could read differently: entries that are doubled, overlap, are links,
 * are encrypted, lead outside, or differ from their own local header.
 */
export async function openZip(bytes: Bytes, unpack: Unpack): Promise<PackageSource> {
  const { from, length, count } = await directoryOf(bytes);
  const entries = readDirectory(await take(bytes, from, length), count);
  const list = new FileList();
  const spans: [from: number, to: number][] = [];
  for (const entry of entries) {
    const data = await dataOf(bytes, entry);
    spans.push([entry.at, data + entry.packed]);
    if (entry.name.endsWith('/')) checkName(entry.name.slice(0, -1));
    else list.add(entry.name, entry.size, () => contentOf(bytes, entry, data, unpack));
  }
  refuseOverlaps(spans, from);
  if (list.files.size === 0) throw new Unreadable('the archive contains no file');
  return list;
}

/** Where the central directory is. */
interface Directory {
  readonly from: number;
  readonly length: number;
  readonly count: number;
}

async function directoryOf(bytes: Bytes): Promise<Directory> {
  const length = Math.min(bytes.size, END_BYTES + COMMENT_MAX + LOCATOR64_BYTES);
  const tail = viewOf(await take(bytes, bytes.size - length, length));
  for (let at = length - END_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    if (at + END_BYTES + tail.getUint16(at + 20, true) !== length) continue;
    const end = bytes.size - length + at;
    const plain = {
      from: tail.getUint32(at + 16, true),
      length: tail.getUint32(at + 12, true),
      count: tail.getUint16(at + 10, true),
    };
    const is64 = at >= LOCATOR64_BYTES && tail.getUint32(at - LOCATOR64_BYTES, true) === LOCATOR64;
    if (is64) {
      const locator = new DataView(tail.buffer, tail.byteOffset + at - LOCATOR64_BYTES, 20);
      return directory64(bytes, locator, end - LOCATOR64_BYTES);
    }
    const isWhole =
      tail.getUint32(at + 4, true) === 0 && tail.getUint16(at + 8, true) === plain.count;
    return checked(plain, end, isWhole);
  }
  throw new Unreadable('it is not a zip archive, or its end is missing');
}

async function directory64(bytes: Bytes, locator: DataView, end: number): Promise<Directory> {
  const at = large(locator, 8);
  if (at + END64_BYTES > end) throw new Unreadable('the end of the archive is damaged');
  const record = viewOf(await take(bytes, at, END64_BYTES));
  if (record.getUint32(0, true) !== END64 || large(record, 4) + 12 !== end - at)
    throw new Unreadable('the end of the archive is damaged');
  const directory = {
    from: large(record, 48),
    length: large(record, 40),
    count: large(record, 32),
  };
  const isWhole =
    locator.getUint32(4, true) === 0 &&
    record.getUint32(16, true) === 0 &&
    record.getUint32(20, true) === 0 &&
    large(record, 24) === directory.count;
  return checked(directory, at, isWhole);
}

function checked(directory: Directory, end: number, isWhole: boolean): Directory {
  if (!isWhole) throw new Unreadable('the archive is only one part of several');
  if (directory.from + directory.length !== end)
    throw new Unreadable('the directory of the archive is not where its end says');
  if (directory.length > DIRECTORY_BYTES_MAX)
    throw new Unreadable(`the directory of the archive is over ${DIRECTORY_BYTES_MAX} bytes`);
  return directory;
}

function readDirectory(bytes: Uint8Array, count: number): Entry[] {
  const view = viewOf(bytes);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let at = 0;
  while (at < bytes.length) {
    if (at + CENTRAL_BYTES > bytes.length || view.getUint32(at, true) !== CENTRAL)
      throw new Unreadable(`entry ${entries.length} of the archive's directory is damaged`);
    const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const next = at + CENTRAL_BYTES + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
    if (next > bytes.length) throw new Unreadable('the directory of the archive is cut off');
    const entry = readEntry(new DataView(bytes.buffer, bytes.byteOffset + at, next - at));
    if (names.has(entry.name)) throw new Unreadable(`${JSON.stringify(entry.name)} is there twice`);
    names.add(entry.name);
    entries.push(entry);
    at = next;
  }
  if (entries.length !== count)
    throw new Unreadable(`the archive declares ${count} entries and has ${entries.length}`);
  return entries;
}

function readEntry(view: DataView): Entry {
  const nameBytes = view.getUint16(28, true);
  const rawName = bytesOf(view, CENTRAL_BYTES, nameBytes);
  const name = textOf(rawName);
  const sizes = wide(
    [view.getUint32(24, true), view.getUint32(20, true), view.getUint32(42, true)],
    bytesOf(view, CENTRAL_BYTES + nameBytes, view.getUint16(30, true)),
  );
  const [size = 0, packed = 0, at = 0] = sizes;
  const entry = {
    name,
    rawName,
    flags: view.getUint16(8, true),
    method: view.getUint16(10, true),
    crc: view.getUint32(16, true),
    packed,
    size,
    at,
  };
  if (view.getUint8(6) > VERSION_MAX)
    throw new Unreadable(`${JSON.stringify(name)} needs a newer version of zip`);
  refuseKind(entry, view.getUint8(5), view.getUint32(38, true) >>> 16);
  return entry;
}

const UNIX = 3;
const KIND_OF_FILE = 0xf000;
/** No kind, a file, a folder. */
const KINDS_TAKEN = [0, 0x8000, 0x4000];

function refuseKind({ name, flags, method, packed, size }: Entry, by: number, mode: number): void {
  const where = JSON.stringify(name);
  if ((flags & ENCRYPTED) !== 0) throw new Unreadable(`${where} is encrypted`);
  if ((flags & ~(FLAGS_KNOWN | SIZES_AFTER)) !== 0)
    throw new Unreadable(`${where} uses an unknown feature of zip`);
  if (method !== STORED && method !== DEFLATED)
    throw new Unreadable(`${where} is compressed by method ${method}, which is not deflate`);
  if (method === STORED && packed !== size)
    throw new Unreadable(`${where} is stored with two different sizes`);
  if (by === UNIX && !KINDS_TAKEN.includes(mode & KIND_OF_FILE))
    throw new Unreadable(`${where} is a link or another kind of file`);
  if (size > EXPANDED_UNSEEN && size > packed * EXPANSION_MAX)
    throw new Unreadable(`${where} expands by more than ${EXPANSION_MAX} times`);
  if (name.endsWith('/') && size !== 0) throw new Unreadable(`the folder ${where} has content`);
}

/** Checks the local header of an entry and returns where its data begins. */
async function dataOf(bytes: Bytes, entry: Entry): Promise<number> {
  const differs = (): Unreadable =>
    new Unreadable(`${JSON.stringify(entry.name)} differs from its own header in the archive`);
  const length = LOCAL_BYTES + entry.rawName.length;
  if (entry.at + length > bytes.size) throw differs();
  const view = viewOf(await take(bytes, entry.at, length));
  const extra = view.getUint16(28, true);
  if (
    view.getUint32(0, true) !== LOCAL ||
    view.getUint16(6, true) !== entry.flags ||
    view.getUint16(8, true) !== entry.method ||
    !isEqual(bytesOf(view, LOCAL_BYTES, view.getUint16(26, true)), entry.rawName)
  )
    throw differs();
  const data = entry.at + length + extra;
  if (data + entry.packed > bytes.size) throw differs();
  if ((entry.flags & SIZES_AFTER) !== 0) return data;
  const [size, packed] = wide(
    [view.getUint32(22, true), view.getUint32(18, true)],
    await take(bytes, entry.at + length, extra),
  );
  if (view.getUint32(14, true) !== entry.crc || size !== entry.size || packed !== entry.packed)
    throw differs();
  return data;
}

/** Returns the values, each taken from the zip64 extra field if 32 bits do not hold it. */
function wide(values: readonly number[], extra: Uint8Array): number[] {
  if (!values.includes(IN_ZIP64)) return [...values];
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const end = at + 4 + view.getUint16(at + 2, true);
    let next = at + 4;
    return values.map((value) => {
      if (value !== IN_ZIP64) return value;
      if (next + 8 > Math.min(end, extra.length)) throw new Unreadable('a zip64 field is cut off');
      next += 8;
      return large(view, next - 8);
    });
  }
  throw new Unreadable('an entry has no zip64 field for its size');
}

function refuseOverlaps(spans: [from: number, to: number][], end: number): void {
  spans.sort(([a], [b]) => a - b);
  spans.forEach(([, to], i) => {
    if (to > (spans[i + 1]?.[0] ?? end)) throw new Unreadable('entries of the archive overlap');
  });
}

async function* contentOf(
  bytes: Bytes,
  entry: Entry,
  data: number,
  unpack: Unpack,
): AsyncIterable<Uint8Array> {
  const packed = bytes.read(data, entry.packed);
  const chunks = entry.method === STORED ? packed : guarded(unpack.inflate(packed));
  let size = 0;
  let crc = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > entry.size)
      throw new DamagedFile(`it is longer than the declared ${entry.size} bytes`);
    crc = unpack.crc32(chunk, crc);
    yield chunk;
  }
  if (size < entry.size)
    throw new DamagedFile(`it ends after ${size} of the declared ${entry.size} bytes`);
  if (crc !== entry.crc) throw new DamagedFile('its checksum in the archive does not match');
}

async function* guarded(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw new DamagedFile(
      `it cannot be unpacked (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

async function take(bytes: Bytes, from: number, length: number): Promise<Uint8Array> {
  const taken = new Uint8Array(length);
  let at = 0;
  for await (const chunk of bytes.read(from, length)) {
    if (at + chunk.length > length) break;
    taken.set(chunk, at);
    at += chunk.length;
  }
  if (at < length) throw new Unreadable('the archive is cut off');
  return taken;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function bytesOf(view: DataView, from: number, length: number): Uint8Array {
  if (from + length > view.byteLength) throw new Unreadable('an entry of the archive is cut off');
  return new Uint8Array(view.buffer, view.byteOffset + from, length);
}

function large(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new Unreadable('the archive declares an impossible size');
  return Number(value);
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Unreadable('a name in the archive is not UTF-8');
  }
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);
