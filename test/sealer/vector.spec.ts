import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { hashText, sealText } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import type { StoredRecord } from '#event-log';
import type { SealPosition } from '#seal-store';
import { Tables } from '../../apps/sealer/src/sealing/tables.js';

interface Vector {
  readonly origin: string;
  readonly tables: readonly { readonly table: string; readonly records: readonly string[] }[];
  readonly seals: readonly { readonly number: number; readonly text: string }[];
}

const VECTOR = JSON.parse(readFileSync('test/fixtures/evidence-vector.json', 'utf8')) as Vector;
const { sha256 } = nodeCryptography;

const position = (partition: number): SealPosition => ({
  partition,
  next: 0,
  lastDigest: null,
  stopped: null,
});

/** Returns records of a table as the log holds them, from an offset on. */
function stored(at: number, from: number, to: number): StoredRecord[] {
  const { table = '', records = [] } = VECTOR.tables[at] ?? {};
  return records.slice(from, to).map((text, nth) => ({
    partition: at,
    offset: from + nth,
    key: table,
    value: Buffer.from(text),
  }));
}

const field = (text: string, name: string): string =>
  new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? '';

describe('the trees of a sealer', () => {
  it('give the seals of the published example from its records, to the byte', () => {
    const state = { positions: [position(0), position(1)], tables: [] };
    const tables = new Tables({ sha256, origin: VECTOR.origin }, state, []);
    const steps = [[...stored(0, 0, 3), ...stored(1, 0, 1)], stored(0, 3, 5)];
    for (const [at, { number, text }] of VECTOR.seals.entries()) {
      tables.grow(steps[at] ?? []);
      const sealed = tables.seal();
      expect(`${sealed.tables} ${hashText(sealed.names)} ${hashText(sealed.heads)}`).toBe(
        field(text, 'tables'),
      );
      const day = field(text, 'day');
      const seal = sealText({
        origin: VECTOR.origin,
        number,
        time: field(text, 'time'),
        log: field(text, 'log'),
        next: tables.positions,
        tables: sealed.tables,
        names: sealed.names,
        heads: sealed.heads,
        keys: 0,
        ...(day !== '' && { day }),
      });
      expect(seal).toBe(text);
    }
  });
});
