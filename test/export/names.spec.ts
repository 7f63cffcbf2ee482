import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openPackage } from '../../apps/cli/src/verify/package-files.js';
import { asking, ExportHouse, playedAt, shoesOf } from './export-house.js';

/** Tables whose names no file can have, or that a file system blind to case mixes up. */
const NAMES = [
  ['..', '..'],
  ['CON', 'CON'],
  ['B07', 'B07'],
  ['b07', 'b07'],
  ['with a newline', 'a\nb'],
  ['with %', '100%/A'],
  ['Bàn 1', 'Bàn 1'],
  // an event has at most 16 KiB: each line names its table, and one has the cards that remain
  ['of 14 kB', 'x'.repeat(14_000)],
] as const;

describe('a package of a table named', () => {
  let house: ExportHouse;
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  const ids = new Set<string>();
  const files = new Set<string>();

  beforeAll(async () => {
    house = await ExportHouse.open();
    for (const [, table] of NAMES) await house.record(table, playedAt(table, { shoes: 3 }), 1);
    await house.settled();
  }, 60_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await house.close();
  });

  it.each(NAMES)('%s is intact, also unpacked beside the others', async (_, table) => {
    const [, shoe = ''] = shoesOf(playedAt(table, { shoes: 3 }));
    for (const scope of [
      { kind: 'table', table },
      { kind: 'shoe', table, shoe },
    ] as const) {
      const made = await house.make(asking(scope));
      expect(made.id).toMatch(/^[A-Za-z0-9][A-Za-z0-9.-]{0,150}$/);
      expect(ids.has(made.id.toLowerCase())).toBe(false);
      ids.add(made.id.toLowerCase());
      expect((await house.verified(made.file)).verdict).toBe('INTACT');
      await unpack(made.file, made.id);
      const unpacked = await house.verified(join(folder, made.id));
      expect(unpacked.faults).toEqual([]);
      expect(unpacked.verdict).toBe('INTACT');
    }
  });

  /** Unpacks a package. No two files may have paths that differ by case only. */
  async function unpack(file: string, id: string): Promise<void> {
    const opened = await openPackage(file);
    for (const packed of opened.source.files.values()) {
      const into = join(folder, id, packed.path);
      expect(files.has(into.toLowerCase())).toBe(false);
      files.add(into.toLowerCase());
      mkdirSync(dirname(into), { recursive: true });
      const blocks: Uint8Array[] = [];
      for await (const block of packed.open()) blocks.push(block);
      writeFileSync(into, Buffer.concat(blocks));
    }
    await opened.close();
  }
});
