import type { PackedHead, PackageStatement, Signer } from '#evidence';
import { createHash } from 'node:crypto';
import { bytesOfLines, forged, linesOf, textOf } from './forged.js';
import type { Mutant } from './mutants.js';
import type { PackageFiles } from './site-package.js';

/** A record of a package: its line of records.csv, and its value. */
export interface PackedRow {
  readonly cells: readonly string[];
  readonly value: string;
}

const ALTERED = ['ALTERED'];

/**
 * Yields records dropped, doubled, inserted, swapped, changed, cut apart, joined and moved to
 * another table. Everything that is not sealed agrees with the change and is signed again.
 */
export function* recordMutants(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  const numbers = tableNumbers(files);
  for (const number of numbers) {
    const rows = rowsOf(files, number);
    for (const i of new Set([0, rows.length >> 1, rows.length - 1])) {
      const row = rows[i];
      if (!row) continue;
      const at = Number(rows[0]?.cells[0]) + i;
      for (const [what, changed] of changedRows(rows, i))
        for (const isMended of [false, true]) {
          // The first record that is another one. One that is doubled is the same once more.
          const record = what === 'doubled' ? at + 1 : at;
          yield {
            name: `record ${at} of table ${number} ${what}${isMended ? '; checks and offsets are mended' : ''}`,
            files: forged(withRows(files, number, changed, isMended), exportsKey),
            expected: isMended
              ? { verdicts: ALTERED, record, seal: sealOf(files, number, record) }
              : { verdicts: ALTERED },
          };
        }
    }
  }
  yield* movedRecords(files, numbers, exportsKey);
}

/** Yields a record taken out of one table and put into another. */
function* movedRecords(
  files: PackageFiles,
  numbers: readonly string[],
  exportsKey: Signer,
): Generator<Mutant> {
  for (const from of numbers)
    for (const to of numbers) {
      const rows = rowsOf(files, from);
      const others = rowsOf(files, to);
      const row = rows.at(-1);
      const last = others.at(-1);
      if (from === to || !row || !last) continue;
      const moved = { ...row, cells: last.cells };
      const without = withRows(files, from, rows.slice(0, -1), true);
      yield {
        name: `the last record of table ${from} moved to table ${to}`,
        files: forged(withRows(without, to, [...others, moved], true), exportsKey),
        expected: { verdicts: ALTERED },
      };
    }
}

const tableNumbers = (files: PackageFiles): string[] =>
  [...files.keys()].flatMap(
    (path) => /^data\/tables\/(\d+)\/events\.ndjson$/.exec(path)?.[1] ?? [],
  );

/** Returns the number of the first seal that holds a record. */
function sealOf(files: PackageFiles, number: string, record: number): number | undefined {
  const heads = linesOf(files, `data/tables/${number}/heads.ndjson`);
  const read = heads.map((line) => JSON.parse(line) as PackedHead);
  return read.find(({ size }) => size > record)?.seal;
}

function* changedRows(
  rows: readonly PackedRow[],
  i: number,
): Generator<[string, readonly PackedRow[]]> {
  const row = rows[i] as PackedRow;
  const next = rows[i + 1];
  const other = row.value.replace(/"(?:coup":|id":")/, '$&1');
  if (other === row.value) throw new Error(`nothing of the record was changed: ${row.value}`);
  yield ['dropped', rows.toSpliced(i, 1)];
  yield ['doubled', rows.toSpliced(i + 1, 0, row)];
  yield ['after one that is inserted', rows.toSpliced(i, 0, { ...row, value: other })];
  yield ['changed', rows.with(i, { ...row, value: other })];
  const elsewhere = row.value.replace(/"table":"[^"]*"/, '"table":"C01"');
  yield ['of another table', rows.with(i, { ...row, value: elsewhere })];
  if (next) {
    yield ['swapped with the next', rows.toSpliced(i, 2, next, row)];
    const joined = { ...row, value: `${row.value}\n${next.value}` };
    yield ['joined with the next', rows.toSpliced(i, 2, joined)];
  }
  const [first, ...others] = row.value.split('\n');
  if (first !== undefined && others.length > 0)
    yield [
      'cut apart',
      rows.toSpliced(i, 1, { ...row, value: first }, { ...row, value: others.join('\n') }),
    ];
}

/** Returns the records of a table of a package. */
export function rowsOf(files: PackageFiles, number: string): PackedRow[] {
  const bytes = Buffer.from(files.get(`data/tables/${number}/events.ndjson`) ?? []);
  let at = 0;
  return linesOf(files, `data/tables/${number}/records.csv`)
    .slice(1)
    .map((line) => {
      const cells = line.split(',');
      const length = Number(cells[1]);
      const value = bytes.subarray(at, at + length).toString();
      at += length + 1;
      return { cells, value };
    });
}

/**
 * Returns a package with other records of a table. Numbers, sizes and counts agree with them. If
 * `isMended`, the checks do too, and partition and offset stay those of the place.
 */
export function withRows(
  files: PackageFiles,
  number: string,
  rows: readonly PackedRow[],
  isMended: boolean,
): PackageFiles {
  const statement = JSON.parse(textOf(files, 'data/package.json')) as PackageStatement;
  const table = statement.tables.find((each) => String(each.number) === number);
  if (!table) throw new Error(`no table ${number}`);
  const before = rowsOf(files, number);
  const after = (before.at(-1)?.cells ?? []).with(4, String(Number(before.at(-1)?.cells[4]) + 1));
  const csv = rows.map(({ cells, value }, i) => {
    const [, , , partition, offset, check] = isMended ? (before[i]?.cells ?? after) : cells;
    const leaf = createHash('sha256').update('\0').update(value).digest('hex').slice(0, 8);
    const lines = value.split('\n').length;
    const shown = isMended ? leaf : check;
    return [table.first + i, Buffer.byteLength(value), lines, partition, offset, shown].join(',');
  });
  const events = rows.reduce((sum, { value }) => sum + value.split('\n').length, 0);
  Object.assign(table, { records: rows.length, events });
  return new Map(files)
    .set('data/package.json', bytesOfLines([JSON.stringify(statement)]))
    .set(`data/tables/${number}/events.ndjson`, bytesOfLines(rows.map(({ value }) => value)))
    .set(
      `data/tables/${number}/records.csv`,
      bytesOfLines(['n,bytes,lines,partition,offset,check', ...csv]),
    );
}
