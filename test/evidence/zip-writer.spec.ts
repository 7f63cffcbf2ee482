import { openZip, type Bytes } from '#evidence';
import { writeZip } from '#evidence/zip';
import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';

const file = (path: string, content: string | Uint8Array) => ({
  path,
  bytes: Buffer.from(content).length,
  open: async function* () {
    yield new Uint8Array(Buffer.from(content));
  },
});

async function zipped(files: readonly ReturnType<typeof file>[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const into = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  await writeZip('p', files, into);
  return Buffer.concat(chunks);
}

const FILES = [
  file('data/b', 'hello '.repeat(10_000)),
  file('VERIFY.txt', 'how to\n'),
  file('data/a', ''),
];

describe('writeZip', () => {
  test('writes the same bytes for the same files in any order', async () => {
    const archive = await zipped(FILES);
    expect(await zipped([...FILES].reverse())).toEqual(archive);
  });

  test('sorts entries by bytes, without extra fields and with one time', async () => {
    const archive = await zipped(FILES);
    const names: string[] = [];
    for (
      let at = archive.indexOf('PK\x01\x02');
      at >= 0;
      at = archive.indexOf('PK\x01\x02', at + 1)
    ) {
      names.push(archive.subarray(at + 46, at + 46 + archive.readUInt16LE(at + 28)).toString());
      expect(archive.readUInt16LE(at + 30)).toBe(0); // extra fields
      expect(archive.readUInt32LE(at + 12)).toBe(0x00210000); // 1980-01-01 00:00:00
      expect(archive.readUInt32LE(at + 38) >>> 16).toBe(0o100644);
    }
    expect(names).toEqual(['p/VERIFY.txt', 'p/data/a', 'p/data/b']);
    const local = archive.indexOf('PK\x03\x04');
    expect(archive.readUInt16LE(local + 28)).toBe(0);
  });

  test('writes what the strict reader reads', async () => {
    const archive = await zipped(FILES);
    const bytes: Bytes = {
      size: archive.length,
      async *read(from, length) {
        yield archive.subarray(from, from + length);
      },
    };
    const source = await openZip(bytes, {
      async *inflate(packed) {
        for await (const chunk of packed) yield inflateRawSync(chunk);
      },
      crc32,
    });
    expect([...source.files.keys()].sort()).toEqual(['VERIFY.txt', 'data/a', 'data/b']);
    for await (const chunk of source.files.get('data/b')?.open() ?? [])
      expect(Buffer.from(chunk).toString()).toBe('hello '.repeat(10_000));
  });

  test('writes what python reads, if python3 is installed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'zip-'));
    try {
      writeFileSync(join(folder, 'x.zip'), await zipped(FILES));
      const { error, stdout } = spawnSync('python3', [
        '-m',
        'zipfile',
        '-t',
        join(folder, 'x.zip'),
      ]);
      if (!error) expect(String(stdout)).toContain('Done testing');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
