import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crc32, inflateRawSync } from 'node:zlib';
import { openZip, type Bytes, type PackageSource } from '#evidence';
import { zipOf, type MadeEntry } from './zip-files.js';

const bytesOf = (buffer: Buffer): Bytes => ({
  size: buffer.length,
  async *read(from, length) {
    yield buffer.subarray(from, from + length);
  },
});

async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of packed) chunks.push(chunk);
  yield inflateRawSync(Buffer.concat(chunks));
}

const opened = (buffer: Buffer): Promise<PackageSource> =>
  openZip(bytesOf(buffer), { inflate, crc32 });

async function contentOf(source: PackageSource, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  const file = source.files.get(path);
  if (!file) throw new Error(`${path} is missing`);
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const HELLO: MadeEntry = { name: 'p/hello', content: 'hello '.repeat(100) };

describe('the zip reader', () => {
  test.each<[string, Partial<MadeEntry>, Parameters<typeof zipOf>[1]]>([
    ['a deflated entry', {}, {}],
    ['a stored entry', { stored: true }, {}],
    ['a zip64 entry', { zip64: true }, {}],
    ['a zip64 archive', {}, { zip64: true }],
    ['an entry with its sizes after the data', { after: true }, {}],
    ['an archive with a comment', {}, { comment: 'made today' }],
  ])('reads %s', async (_, entry, archive) => {
    const source = await opened(zipOf([{ ...HELLO, ...entry }], archive));
    expect(source.folder).toBe('p');
    expect(await contentOf(source, 'hello')).toBe(HELLO.content);
  });

  test('skips the entries of folders', async () => {
    const source = await opened(zipOf([{ name: 'p/', content: '', stored: true }, HELLO]));
    expect([...source.files.keys()]).toEqual(['hello']);
  });

  test.each<[string, readonly MadeEntry[], RegExp]>([
    ['climbs out of the folder', [{ ...HELLO, name: 'p/../../x' }], /not lead to a place inside/],
    ['is absolute', [{ ...HELLO, name: '/etc/passwd' }], /not lead to a place inside/],
    ['names a drive', [{ ...HELLO, name: 'C:/x' }], /a character that a name must not have/],
    ['uses a backslash', [{ ...HELLO, name: 'p\\..\\x' }], /a character that a name must not have/],
    ['is not UTF-8', [{ ...HELLO, name: Buffer.from([0x70, 0x2f, 0xff]) }], /not UTF-8/],
    ['is in another folder', [HELLO, { ...HELLO, name: 'q/x' }], /not in the folder "p"/],
    ['is in no folder', [{ ...HELLO, name: 'x' }], /not in the folder of a package/],
    ['is there twice', [HELLO, HELLO], /there twice/],
    ['is a link', [{ ...HELLO, mode: 0o120777 }], /is a link/],
    ['is encrypted', [{ ...HELLO, flags: 1 }], /is encrypted/],
    ['is patched data', [{ ...HELLO, flags: 0x20 }], /unknown feature/],
    ['is compressed by another method', [{ ...HELLO, method: 12 }], /method 12/],
    [
      'has another name in its own header',
      [{ ...HELLO, localName: 'p/hullo' }],
      /differs from its/,
    ],
    ['lies outside the archive', [{ ...HELLO, at: 1_000_000 }], /differs from its own header/],
    ['would expand a thousandfold', [{ ...HELLO, size: 4e9 }], /expands/],
  ])('refuses an entry that %s', async (_, entries, why) => {
    await expect(opened(zipOf(entries))).rejects.toThrow(why);
  });

  test('refuses an entry that lies inside another', async () => {
    const inner = zipOf([HELLO]);
    const outer: MadeEntry = { name: 'p/a', content: inner, stored: true };
    const header = 30 + 'p/a'.length;
    await expect(opened(zipOf([outer, { ...HELLO, at: header }]))).rejects.toThrow(/overlap/);
  });

  test.each<[string, Partial<MadeEntry>, RegExp]>([
    ['is longer than declared', { size: 10 }, /longer than the declared 10/],
    ['is shorter than declared', { size: 1_000 }, /ends after 600 of the declared 1000/],
    ['has another checksum', { crc: 1 }, /checksum/],
    ['is not deflated', { stored: true, method: 8 }, /cannot be unpacked/],
  ])('fails on a file whose content %s', async (_, entry, why) => {
    const source = await opened(zipOf([{ ...HELLO, ...entry }]));
    await expect(contentOf(source, 'hello')).rejects.toThrow(why);
  });

  test('refuses an archive that is cut anywhere', async () => {
    const archive = zipOf([HELLO, { ...HELLO, name: 'p/b' }], { zip64: true });
    for (let length = 0; length < archive.length; length += 1)
      await expect(opened(archive.subarray(0, length))).rejects.toMatchObject({
        name: 'Unreadable',
      });
  });

  test('never crashes on changed bytes', async () => {
    const archive = zipOf([HELLO, { ...HELLO, name: 'p/b', zip64: true }], { zip64: true });
    const edits = fc.array(fc.tuple(fc.nat(archive.length - 1), fc.nat(255)), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(edits, async (changes) => {
        const changed = Buffer.from(archive);
        for (const [at, byte] of changes) changed[at] = byte;
        try {
          const source = await opened(changed);
          for (const path of source.files.keys()) await contentOf(source, path);
        } catch (error) {
          expect(['Unreadable', 'DamagedFile']).toContain((error as Error).name);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
