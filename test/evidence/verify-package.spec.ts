import {
  readCheckpoint,
  readVkey,
  utf8Of,
  verifyPackage,
  type Report,
  type Trust,
} from '#evidence';
import { nodeCryptography, nodePlatform } from '#evidence/node';
import { describe, expect, test } from '@jest/globals';
import { packed, sourceOf, type PackageFiles, type Packing } from './site-package.js';
import { SmallSite } from './small-site.js';

const line = (table: string, n: number): string =>
  `{"specversion":"1.0","type":"shoeprint.coup-opened.v1","source":"device/${table}","id":"${table}/${n}","time":"2026-11-20T12:00:00.000Z","table":"${table}","shoe":"S","session":"1","sequence":${n},"data":{"coup":${n}}}`;

/** A site of three tables with seals, two days and records between. */
function site(): SmallSite {
  const made = new SmallSite();
  for (let i = 1; i <= 40; i += 1) {
    made.append(
      'B07',
      i % 5 === 0 ? `${line('B07', i)}\n${line('B07', 1_000 + i)}` : line('B07', i),
    );
    if (i % 3 === 0) made.append('Bàn 1', line('Bàn 1', i));
    if (i > 20) made.append('@house', line('@house', i));
    if (i % 7 === 0) made.seal();
    if (i === 14 || i === 35) made.seal({ day: i === 14 ? '2026-11-20' : '2026-11-21' });
  }
  made.seal();
  return made;
}

const trustOf = (made: SmallSite, trust: Partial<Trust> = {}): Trust => ({
  keys: [readVkey(nodeCryptography.sha256, made.logKey.vkey)],
  checkpoints: [],
  witnesses: [],
  quorum: 0,
  ...trust,
});

const verified = (files: PackageFiles, trust: Trust): Promise<Report> =>
  verifyPackage(sourceOf(files), trust, undefined, nodePlatform);

const daySeals = (made: SmallSite): number[] =>
  made.seals.flatMap(({ number, day }) => (day === undefined ? [] : [number]));

function packings(made: SmallSite): Record<string, Packing> {
  const [first = 0, second = 0] = daySeals(made);
  const sizeAt = (seal: number, number: number): number =>
    made.seals.find((each) => each.number === seal)?.sizes[number] ?? 0;
  const b07 = made.tables.findIndex(({ table }) => table === 'B07');
  return {
    'a whole table': {
      id: 'table',
      scope: { kind: 'table', table: 'B07' },
      tables: [{ table: 'B07', first: 0, end: 40 }],
      after: null,
      to: made.leaves.length - 1,
    },
    'a day of one table': {
      id: 'day',
      scope: { kind: 'day', table: 'B07', day: '2026-11-21' },
      tables: [{ table: 'B07', first: 10, end: sizeAt(second, b07) }],
      after: first,
      to: second,
      since: [first + 1],
    },
    'a day of all tables': {
      id: 'all',
      scope: { kind: 'day', day: '2026-11-21' },
      all: true,
      tables: made.tables.map(({ table }, number) => ({
        table,
        first: Math.max(0, sizeAt(first, number) - 2),
        end: sizeAt(second, number),
      })),
      after: first,
      to: second,
    },
    'a shoe': {
      id: 'shoe',
      scope: { kind: 'shoe', table: 'B07', shoe: 'S' },
      tables: [{ table: 'B07', first: 16, end: 27, shoes: [] }],
      after: made.seals.findLast(({ sizes }) => (sizes[b07] ?? 0) <= 16)?.number ?? null,
      to: made.seals.find(({ sizes }) => (sizes[b07] ?? 0) >= 27)?.number ?? 0,
      context: { B07: [3, 15] },
      later: { B07: [30, 39] },
    },
  };
}

describe('verifyPackage', () => {
  const made = site();

  test.each(Object.entries(packings(made)))('finds %s intact', async (_, packing) => {
    const report = await verified(await packed(made, packing), trustOf(made));
    expect(report.faults).toEqual([]);
    expect(report.verdict).toBe('INTACT');
  });

  test('finds a package incomplete whose signer the reader does not know', async () => {
    const files = await packed(made, packings(made)['a shoe'] as Packing);
    const report = await verified(files, trustOf(made, { keys: [] }));
    expect(report.verdict).toBe('INCOMPLETE');
    expect(report.faults).toMatchObject([
      { step: 3, message: expect.stringContaining(made.logKey.vkey) },
    ]);
  });

  test('trusts the key of a checkpoint that the reader holds', async () => {
    const [first = 0] = daySeals(made);
    const files = await packed(made, packings(made)['a day of one table'] as Packing);
    const held = readCheckpoint(utf8Of(made.checkpoint(first + 1)));
    const report = await verified(files, trustOf(made, { keys: [], checkpoints: [held] }));
    expect(report).toMatchObject({ verdict: 'INTACT', faults: [], grownSince: [first + 1] });
  });
});
