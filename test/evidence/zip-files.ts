import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive that a test makes, with what it says wrongly. */
export interface MadeEntry {
  readonly name: string | Uint8Array;
  readonly content: Uint8Array | string;
  readonly stored?: boolean;
  /** What the content is deflated to, if not by the rules. */
  readonly deflated?: Uint8Array;
  readonly zip64?: boolean;
  /** Sizes and checksum after the data. */
  readonly after?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly mode?: number;
  readonly size?: number;
  readonly crc?: number;
  readonly localName?: string;
  /** Where the entry says that it lies. */
  readonly at?: number;
}

const le = (...fields: readonly [value: number, bytes: number][]): Buffer =>
  Buffer.concat(
    fields.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value));
      else buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );

/** Returns a zip archive of these entries, written field by field so that any can be wrong. */
export function zipOf(
  entries: readonly MadeEntry[],
  { comment = '', zip64 = false, count = entries.length } = {},
): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { local, directory } = entryBytes(entry, at);
    parts.push(local);
    at += local.length;
    central.push(directory);
  }
  const directory = Buffer.concat(central);
  const tail: Buffer[] = [];
  if (zip64) {
    tail.push(
      le([0x06064b50, 4], [44, 8], [45, 2], [45, 2], [0, 4], [0, 4], [count, 8], [count, 8]),
      le([directory.length, 8], [at, 8]),
      le([0x07064b50, 4], [0, 4], [at + directory.length, 8], [1, 4]),
    );
  }
  const limited = (value: number): number => (zip64 ? 0xffffffff : value);
  tail.push(
    le([0x06054b50, 4], [0, 4], [zip64 ? 0xffff : count, 2], [zip64 ? 0xffff : count, 2]),
    le([limited(directory.length), 4], [limited(at), 4], [comment.length, 2]),
    Buffer.from(comment),
  );
  return Buffer.concat([...parts, directory, ...tail]);
}

const packedOf = ({ stored, deflated }: MadeEntry, content: Buffer): Uint8Array =>
  stored ? content : (deflated ?? deflateRawSync(content));

function entryBytes(entry: MadeEntry, at: number): { local: Buffer; directory: Buffer } {
  const { zip64 = false, after = false, mode = 0o100644 } = entry;
  const { method = entry.stored ? 0 : 8, flags = after ? 8 : 0 } = entry;
  const content = Buffer.from(entry.content);
  const packed = packedOf(entry, content);
  const name = Buffer.from(entry.name);
  const size = entry.size ?? content.length;
  const crc = entry.crc ?? crc32(content);
  const wide = zip64 ? le([1, 2], [16, 2], [size, 8], [packed.length, 8]) : Buffer.alloc(0);
  const small = (value: number): [number, number] => [zip64 ? 0xffffffff : value, 4];
  const unless = (value: [number, number]): [number, number] => (after ? [0, 4] : value);
  const localName = Buffer.from(entry.localName ?? name);
  const local = Buffer.concat([
    le([0x04034b50, 4], [20, 2], [flags, 2], [method, 2], [0, 2], [0x21, 2]),
    le(unless([crc, 4]), unless(small(packed.length)), unless(small(size))),
    le([localName.length, 2], [wide.length, 2]),
    localName,
    wide,
    packed,
    after ? le([0x08074b50, 4], [crc, 4], [packed.length, 4], [size, 4]) : Buffer.alloc(0),
  ]);
  const directory = Buffer.concat([
    le([0x02014b50, 4], [0x0314, 2], [20, 2], [flags, 2], [method, 2], [0, 2], [0x21, 2], [crc, 4]),
    le(small(packed.length), small(size), [name.length, 2], [wide.length, 2], [0, 2], [0, 4]),
    le([mode * 0x10000, 4], [entry.at ?? at, 4]),
    name,
    wide,
  ]);
  return { local, directory };
}
