import { FileList } from '#evidence';
import { nodePlatform } from '#evidence/node';
import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPackage } from '../../apps/cli/src/verify/package-files.js';
import { PackageReader } from '../../libs/evidence/src/package/reading.js';

const folder = mkdtempSync(join(tmpdir(), 'folder-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('lines of a file in a folder are whole where one chunk ends and the next begins', async () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => `${n} ${'x'.repeat(n % 211)}`);
  writeFileSync(join(folder, 'lines'), lines.map((line) => `${line}\n`).join(''));
  const opened = await openPackage(folder);
  const read = new PackageReader(opened.source, nodePlatform.startSha256).lines('lines');
  const found: string[] = [];
  for (let line = await read.next(); line !== undefined; line = await read.next()) found.push(line);
  await opened.close();
  expect(found.length).toBe(lines.length);
  expect(found.find((line, n) => line !== lines[n])).toBeUndefined();
});

test('a part of the work closes the files that it did not read to their end', async () => {
  const closed: string[] = [];
  const files = new FileList();
  for (const name of ['before', 'inside', 'whole'])
    files.add(`package/${name}`, 4, async function* () {
      try {
        yield Buffer.from('a\n');
        yield Buffer.from('b\n');
      } finally {
        closed.push(name);
      }
    });
  const reader = new PackageReader(files, nodePlatform.startSha256);
  const before = reader.lines('before');
  await before.next();
  const work = reader.closing(async () => {
    await reader.bytes('whole');
    await reader.lines('inside').next();
    throw new Error('the work ends early');
  });
  await expect(work).rejects.toThrow('ends early');
  expect(closed).toEqual(['whole', 'inside']);
  expect(await before.next()).toBe('b');
});
