// Where the tests of the console keep a data folder with the sample day. The first test that needs
// it fills it, and each file of tests works on a copy of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup() {
  process.env.SHOEPRINT_CONSOLE_SAMPLE = mkdtempSync(join(tmpdir(), 'shoeprint-console-'));
}

export function teardown() {
  const folder = process.env.SHOEPRINT_CONSOLE_SAMPLE;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
