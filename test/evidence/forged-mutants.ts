import { noteText, readReceipt, readNote, receiptText, signText, type Signer } from '#evidence';
import { nodeCryptography } from '#evidence/node';
import { createHash } from 'node:crypto';
import { formMutants, kindOf, rehashed, type Mutant } from './mutants.js';
import type { PackageFiles } from './site-package.js';

/** Returns a package with its hashes mended and its receipt signed again: all but what is sealed. */
export function forged(files: PackageFiles, exportsKey: Signer): PackageFiles {
  const mended = rehashed(files);
  const receipt = readReceipt(readNote(Buffer.from(files.get('receipt') ?? []).toString()).text);
  const tagManifest = createHash('sha256')
    .update(mended.get('tagmanifest-sha256.txt') ?? '')
    .digest();
  const text = receiptText({ ...receipt, tagManifest });
  const signatures = [signText(nodeCryptography.sha256, text, exportsKey)];
  return mended.set('receipt', Buffer.from(noteText({ text, signatures })));
}

/**
 * The fields that no seal, no signature and no judging covers: one with the exports key can
 * write them, and the page says so.
 */
const UNCOVERED = [
  /^data\/package\.json \/(id|gamingDays|warnings|unjudged|software|rules|scope\/finding)/,
  /^data\/package\.json \/tables\/\d+\/(shoes)/,
  // A proof of a size that the reader does not hold says nothing.
  /^data\/site\/proof\.json \/consistency/,
  /^data\/site\/since\.json/,
  // One more record of context or of later is the house's choice, and so is one less.
  /^data\/tables\/\d+\/(context|later)\.ndjson line \d+ dropped/,
  // The offset of a record can be any between those of its neighbors.
  /^data\/tables\/\d+\/records\.csv line \d+ cell [34] /,
];

/** Yields changes that an exports key can sign, of all that a seal or the judging covers. */
export function* forgedMutants(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  for (const [path, bytes] of files) {
    if (['text', 'note', 'document', 'records'].includes(kindOf(path).is)) continue;
    for (const [what, text] of formMutants(path, Buffer.from(bytes).toString())) {
      const name = `${path} ${what}`;
      if (UNCOVERED.some((each) => each.test(name))) continue;
      yield {
        name: `${name}, signed again`,
        files: forged(new Map(files).set(path, Buffer.from(text)), exportsKey),
        expected: { verdicts: ['ALTERED', 'INCOMPLETE', 'UNREADABLE'] },
      };
    }
  }
  yield* recordMutants(files, exportsKey);
}

interface Row {
  readonly cells: readonly string[];
  readonly value: string;
}

/** Yields records dropped, doubled, swapped, changed, cut apart and joined, with mended tables. */
function* recordMutants(files: PackageFiles, exportsKey: Signer): Generator<Mutant> {
  for (const path of files.keys()) {
    const number = /^data\/tables\/(\d+)\/events\.ndjson$/.exec(path)?.[1];
    if (number === undefined) continue;
    const rows = rowsOf(files, number);
    for (const i of new Set([0, rows.length >> 1, rows.length - 1])) {
      const row = rows[i];
      if (!row) continue;
      const first = Number(rows[0]?.cells[0]);
      for (const [what, changed] of changedRows(rows, i))
        for (const isMended of [false, true])
          yield {
            name: `record ${first + i} of table ${number} ${what}${isMended ? ', with its check' : ''}`,
            files: forged(withRows(files, number, changed, { first, isMended }), exportsKey),
            expected: {
              verdicts: ['ALTERED'],
              ...(isMended || what !== 'changed' ? {} : { record: first + i }),
            },
          };
    }
  }
}

function* changedRows(rows: readonly Row[], i: number): Generator<[string, readonly Row[]]> {
  const row = rows[i] as Row;
  const next = rows[i + 1];
  yield ['dropped', rows.toSpliced(i, 1)];
  yield ['doubled', rows.toSpliced(i, 0, row)];
  yield ['changed', rows.with(i, { ...row, value: row.value.replace('"coup":', '"coup":1') })];
  yield [
    'of another table',
    rows.with(i, { ...row, value: row.value.replace(/"table":"[^"]*"/, '"table":"C01"') }),
  ];
  if (next) {
    yield ['swapped with the next', rows.toSpliced(i, 2, next, row)];
    yield [
      'joined with the next',
      rows.toSpliced(i, 2, { ...row, value: `${row.value}\n${next.value}` }),
    ];
  }
  const [first, ...others] = row.value.split('\n');
  if (first !== undefined && others.length > 0)
    yield [
      'cut apart',
      rows.toSpliced(i, 1, { ...row, value: first }, { ...row, value: others.join('\n') }),
    ];
}

function rowsOf(files: PackageFiles, number: string): Row[] {
  const bytes = Buffer.from(files.get(`data/tables/${number}/events.ndjson`) ?? []);
  const lines = Buffer.from(files.get(`data/tables/${number}/records.csv`) ?? [])
    .toString()
    .split('\n')
    .slice(1, -1);
  let at = 0;
  return lines.map((line) => {
    const cells = line.split(',');
    const length = Number(cells[1]);
    const value = bytes.subarray(at, at + length).toString();
    at += length + 1;
    return { cells, value };
  });
}

function withRows(
  files: PackageFiles,
  number: string,
  rows: readonly Row[],
  { first, isMended }: { readonly first: number; readonly isMended: boolean },
): PackageFiles {
  const csv = rows.map(({ cells, value }, i) => {
    const [, , , partition, offset, check] = cells;
    const leaf = createHash('sha256').update('\0').update(value).digest('hex').slice(0, 8);
    return [
      first + i,
      Buffer.byteLength(value),
      value.split('\n').length,
      partition,
      offset,
      isMended ? leaf : check,
    ].join(',');
  });
  const events = rows.reduce((sum, { value }) => sum + value.split('\n').length, 0);
  const statement = JSON.parse(Buffer.from(files.get('data/package.json') ?? []).toString());
  for (const table of statement.tables)
    if (String(table.number) === number) Object.assign(table, { records: rows.length, events });
  return new Map(files)
    .set('data/package.json', Buffer.from(`${JSON.stringify(statement)}\n`))
    .set(
      `data/tables/${number}/events.ndjson`,
      Buffer.from(rows.map(({ value }) => `${value}\n`).join('')),
    )
    .set(
      `data/tables/${number}/records.csv`,
      Buffer.from(
        `n,bytes,lines,partition,offset,check\n${csv.map((line) => `${line}\n`).join('')}`,
      ),
    );
}
